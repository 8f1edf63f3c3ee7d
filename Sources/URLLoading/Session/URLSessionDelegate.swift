/// What a session tells its owner, and asks.
///
/// Every method has a default, so a delegate implements what it cares about. Where a method has a form with a completion
/// handler and an async one, either may be implemented. Calls come on the session's `delegateQueue`.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session is invalid, and lets go of its delegate after this call. Uploads that were broken off have removed their temporary
  /// files by now, or cannot: ``UnfinishedUploads`` has the rest.
  /// - Parameter error: nil when the session was invalidated by a call.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A connection needs credentials or a decision: NTLM, Negotiate, a client certificate, server trust. Where it is not
  /// implemented the task's method is asked.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The async form of the method with a completion handler.
  nonisolated(nonsending) func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension URLSessionDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  /// Asks the async form.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    Task.immediate {
      let answer = await self.urlSession(session, didReceive: challenge)
      completionHandler(answer.0, answer.1)
    }
  }

  /// Leaves the challenge to the task's method.
  public nonisolated(nonsending) func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    DelegateProbe.current?.reachedDefault()
    return (.performDefaultHandling, nil)
  }
}
