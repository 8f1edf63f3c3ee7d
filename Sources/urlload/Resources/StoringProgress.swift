import URLLoading

/// What the loads of `cp` and `mv` store, for the display; challenges are answered by the login.
///
/// Mutable state: that of `status`, guarded by its lock.
final class StoringProgress: NSObject, URLSessionTaskDelegate, Sendable {
  private let status: LoadStatus
  private let login: LoginAnswer
  /// Whether one file is copied, whose length is that of all.
  private let isOneFile: Bool

  init(_ status: LoadStatus, _ login: LoginAnswer, isOneFile: Bool) {
    self.status = status
    self.login = login
    self.isOneFile = isOneFile
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    login.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    status.update { status in
      // A body that is sent again after a login is counted once where that can be told.
      status.done = isOneFile ? totalBytesSent : status.done + bytesSent
      if isOneFile, totalBytesExpectedToSend > 0 { status.total = totalBytesExpectedToSend }
    }
  }
}
