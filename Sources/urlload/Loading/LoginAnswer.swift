import URLLoading

/// Answers challenges with the login that the user gave, or by asking at the terminal for SSH; a delegate of tasks that need no other.
final class LoginAnswer: NSObject, URLSessionTaskDelegate, Sendable {
  private let login: LoadOptions.Login?
  private let console: Console

  init(_ login: LoadOptions.Login?, _ console: Console) {
    self.login = login
    self.console = console
  }

  /// The password is for the server that the user named: not for redirects to others, nor for a proxy.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    if let question = LoginQuestion(challenge) {
      return question.ask(console) { answer in
        guard let answer else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(user: "", password: answer, persistence: .none))
      }
    }
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
