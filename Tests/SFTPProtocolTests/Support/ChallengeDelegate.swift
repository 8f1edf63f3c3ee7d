import SFTPProtocol
import URLLoading
import URLLoadingTestServers

/// Answers a session's challenges, and keeps them.
final class ChallengeDelegate: NSObject, URLSessionTaskDelegate {
  /// How a challenge is answered.
  enum Answer: Sendable {
    case password(String)
    /// A user and a password, to be kept as long as the session.
    case keep(String, String)
    /// What the challenge proposes.
    case proposed
    case accept
    case cancel
    case leave
  }

  /// What is kept of a challenge.
  struct Seen: Sendable, Equatable {
    let method: String
    let realm: String?
    let host: String
    let failureCount: Int
  }

  let seen = Watched<[Seen]>([])
  let hostKeys = Watched<[SFTPHostKeyFacts]>([])
  private let answer: @Sendable (Seen, Int) -> Answer

  /// - Parameter answer: gets a challenge and how many there were before.
  init(_ answer: @escaping @Sendable (Seen, Int) -> Answer) {
    self.answer = answer
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    let one = Seen(
      method: space.authenticationMethod, realm: space.realm, host: "\(space.host):\(space.port)",
      failureCount: challenge.previousFailureCount)
    let count = seen.update { seen in
      seen.append(one)
      return seen.count - 1
    }
    let key = space as? SFTPHostKeySpace
    if let key { hostKeys.update { $0.append(SFTPHostKeyFacts(key)) } }
    switch answer(one, count) {
    case .password(let password):
      completionHandler(.useCredential, URLCredential(user: "", password: password, persistence: .none))
    case .keep(let user, let password):
      completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .forSession))
    case .proposed: completionHandler(.useCredential, challenge.proposedCredential)
    case .accept: completionHandler(.useCredential, key?.acceptance)
    case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
    case .leave: completionHandler(.performDefaultHandling, nil)
    }
  }
}
