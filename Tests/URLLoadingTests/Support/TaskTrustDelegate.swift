import URLLoading

/// A task's delegate that accepts every server, and has an identity for those that ask for one.
final class TaskTrustDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  private let identity: SecIdentity?

  init(_ identity: SecIdentity? = nil) { self.identity = identity }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
    guard let identity else { return (.performDefaultHandling, nil) }
    return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
  }
}
