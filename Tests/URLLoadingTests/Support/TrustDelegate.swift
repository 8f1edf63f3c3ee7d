import URLLoading
import URLLoadingTestServers

/// A session's delegate that answers challenges about connections by a rule, and notes them.
final class TrustDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  let challenges = Watched<[URLAuthenticationChallenge]>([])
  let metrics = Watched<[URLSessionTaskTransactionMetrics]>([])
  private let answer: @Sendable (URLAuthenticationChallenge) -> Answer

  init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Answer) {
    self.answer = answer
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    challenges.update { $0.append(challenge) }
    let (disposition, credential) = answer(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    self.metrics.update { $0 += metrics.transactionMetrics }
  }

  var methods: [String] { challenges.value.map { $0.protectionSpace.authenticationMethod } }

  /// Accepts every server.
  static func accepting() -> TrustDelegate {
    TrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(trust: trust))
    }
  }

  /// Answers all with one disposition.
  static func answering(_ disposition: URLSession.AuthChallengeDisposition) -> TrustDelegate {
    TrustDelegate { _ in (disposition, nil) }
  }

  /// A session with it. Its loads have no proxy.
  func session(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    change(configuration)
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }
}
