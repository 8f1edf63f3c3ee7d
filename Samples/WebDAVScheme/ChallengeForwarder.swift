import URLLoading

/// The delegate of the `http` loads behind a `dav` load: what they ask is asked of the session on behalf of the `dav` load, and what
/// they report of an upload is reported as that of the `dav` load.
final class ChallengeForwarder: NSObject, URLSessionTaskDelegate {
  private let writer: AsyncURLProtocol.Writer
  private let instance: WebDAVProtocol

  init(_ writer: AsyncURLProtocol.Writer, _ instance: WebDAVProtocol) {
    self.writer = writer
    self.instance = instance
  }

  /// The space says the server's host, port and realm; a login for `http` is one for `dav`, and the other way round.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    // Certificates are the session's to judge.
    let space = challenge.protectionSpace
    guard space.serverTrust == nil, space.authenticationMethod != NSURLAuthenticationMethodClientCertificate else {
      return (.performDefaultHandling, nil)
    }
    do {
      let credential = try await writer.challenge(
        space, previousFailureCount: challenge.previousFailureCount, failureResponse: challenge.failureResponse)
      return credential.map { (.useCredential, $0) } ?? (.performDefaultHandling, nil)
    } catch {
      return (.cancelAuthenticationChallenge, nil)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    writer.reportUploadProgress(totalBytesSent: totalBytesSent)
  }

  /// A login comes after a body that was sent: a stream is then needed once more.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let client = instance.client as? any URLProtocolSessionClient else { return completionHandler(nil) }
    client.urlProtocol(instance, needsNewBodyStream: completionHandler)
  }
}
