import URLLoading

/// Puts the questions of a connection that is being made to one of the loads that wait for it.
struct ConnectionQuestions: Sendable {
  /// Makes the challenge, given who takes the answer.
  typealias Challenge = @Sendable (any URLAuthenticationChallengeSender) -> URLAuthenticationChallenge

  /// A load that waits, and a closure that takes it off the list.
  typealias Candidate = (waiter: any ConnectionWaiter, remove: @Sendable () -> Void)

  let firstWaiting: @Sendable () -> Candidate?

  /// Asks the delegate of a load that waits; if that load ends meanwhile, of the next one.
  /// - Returns: the credential; nil without one.
  func ask(_ challenge: @escaping Challenge) async -> URLCredential? {
    while !Task.isCancelled, let (waiter, remove) = firstWaiting() {
      switch await waiter.ask(challenge) {
      case .credential(let credential): return credential
      case .refused: return nil
      case .gone: remove()
      }
    }
    return nil
  }
}

/// A load's answer to a question.
// Safe to share: a credential does not change.
enum ConnectionAnswer: @unchecked Sendable {
  case credential(URLCredential)
  case refused
  /// The load has ended.
  case gone
}

/// A load that waits for a connection.
protocol ConnectionWaiter: AnyObject, Sendable {
  func ask(_ challenge: @escaping ConnectionQuestions.Challenge) async -> ConnectionAnswer
}
