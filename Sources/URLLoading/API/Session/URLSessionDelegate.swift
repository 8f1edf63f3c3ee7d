/// What a session reports to its owner, and asks it.
///
/// Every method has a default, which does what Apple's systems do where a delegate lacks the method. Of a method with a completion
/// handler and an async form, either may be implemented. Calls come on the session's `delegateQueue`.
@preconcurrency
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session is invalid, and releases its delegate after this call. Cancelled and failed uploads have removed their temporary files
  /// by now; ``UnfinishedUploads`` lists those that could not be removed.
  ///
  /// `error`: nil when the session was invalidated by a call.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A connection needs credentials or a decision: NTLM, Negotiate, a client certificate, server trust. Where it is not
  /// implemented the task's method is called.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// A background session has made all calls that had waited for it, see <doc:TransfersThatOutliveYourProgram>. Not called where the service
  /// had no tasks of the session.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  /// Does nothing.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}

  /// Does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  /// Calls the async form; where there is none, the challenge is handled by default.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    DelegateForms.askAsyncForm(
      of: self, .sessionChallenge, absent: .byDefault, { completionHandler($0.disposition, $0.credential) },
      {
        let answer = await self.urlSession(session, didReceive: challenge)
        return ChallengeAnswer(answer.0, answer.1)
      })
  }

  /// Calls the form with a handler; where there is none, the challenge is handled by default. Sessions call the task's method instead.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    let answer = await DelegateForms.askHandlerForm(of: self, .sessionChallenge, absent: ChallengeAnswer.byDefault) {
      handler in
      self.urlSession(session, didReceive: challenge) { handler(ChallengeAnswer($0, $1)) }
    }
    return (answer.disposition, answer.credential)
  }
}
