import URLLoading

/// Answers challenges with the login that the user gave; a delegate of tasks that need no other.
final class LoginAnswer: NSObject, URLSessionTaskDelegate, Sendable {
  private let login: LoadOptions.Login?

  init(_ login: LoadOptions.Login?) {
    self.login = login
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, of: task, completionHandler)
  }

  /// The password is meant for the server that the user named: not for one that it redirects to, nor for a proxy.
  func answer(
    _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
    _ completionHandler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let login, let password = login.password, challenge.previousFailureCount == 0,
      !challenge.protectionSpace.isProxy(), Self.isSameServer(task.originalRequest?.url, task.currentRequest?.url)
    else { return completionHandler(.performDefaultHandling, nil) }
    completionHandler(.useCredential, URLCredential(user: login.user, password: password, persistence: .forSession))
  }

  private static func isSameServer(_ one: URL?, _ other: URL?) -> Bool {
    one?.scheme?.lowercased() == other?.scheme?.lowercased() && one?.host()?.lowercased() == other?.host()?.lowercased()
      && one?.port == other?.port
  }
}
