import URLLoading

// Safe to share: it adds no state.
/// For loads that a program's delegate may be asked about.
final class AskingDelegate: ExchangeDelegate, URLSessionTaskDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    ask(task, challenge, completionHandler)
  }
}
