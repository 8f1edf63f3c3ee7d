import SFTPProtocol
import URLLoading
internal import URLLoadingHTTPSemantics

/// Answers challenges with the login and the certificate that the user gave, or by asking at the terminal for SSH; a delegate of tasks that
/// need no other.
final class LoginAnswer: NSObject, URLSessionTaskDelegate, Sendable {
  private let options: LoadOptions
  private let console: Console

  init(_ options: LoadOptions, _ console: Console) {
    self.options = options
    self.console = console
  }

  /// The password is for the server that the user named: not for redirects to others, nor for a proxy.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    if let trust = space.serverTrust {
      tell(trust)
      guard options.isInsecure else { return completionHandler(.performDefaultHandling, nil) }
      return completionHandler(.useCredential, URLCredential(trust: trust))
    }
    if let key = space as? SFTPHostKeySpace, options.isInsecure {
      return completionHandler(.useCredential, key.acceptance)
    }
    if space.authenticationMethod == NSURLAuthenticationMethodClientCertificate, let identity = options.identity {
      return completionHandler(
        .useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
    if let question = LoginQuestion(challenge) {
      return question.ask(console) { answer in
        guard let answer else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(user: "", password: answer, persistence: .none))
      }
    }
    if !space.isProxy(), let chosen = options.loginMethods, !chosen.contains(space.authenticationMethod),
      LoadOptions.allLoginMethods.contains(space.authenticationMethod)
    {
      return completionHandler(.rejectProtectionSpace, nil)
    }
    // What was sent at once is refused.
    let wasSent =
      space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
      && task.currentRequest?.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Basic ") == true
    guard challenge.previousFailureCount == 0, !wasSent, !space.isProxy(), let login = login(for: task),
      let password = login.password
    else { return completionHandler(.performDefaultHandling, nil) }
    completionHandler(.useCredential, URLCredential(user: login.user, password: password, persistence: .forSession))
  }

  /// That of `-u` for the server that the user named, or what the netrc file has for the server that asks.
  private func login(for task: URLSessionTask) -> LoadOptions.Login? {
    guard let current = task.currentRequest?.url else { return nil }
    if options.login != nil {
      let named = task.originalRequest?.url.map(WebOrigin.init)
      return named == WebOrigin(current) ? options.login(for: current) : nil
    }
    return options.login(for: current)
  }

  /// What `-v` says of a certificate.
  private func tell(_ trust: SecTrust) {
    guard options.report.isVerbose, let certificate = trust.certificates.first else { return }
    console.line("* certificate: \(certificate.subject)")
    console.line("* issued by: \(certificate.issuer)")
    if let end = certificate.notAfter { console.line("* valid until: \(end.formatted(.iso8601))") }
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    console.line("* " + (isTrusted ? "trusted" : "not trusted: \(error?.localizedDescription ?? "unknown")"))
  }
}
