import URLLoading
import URLLoadingTestServers

/// A session's delegate that keeps challenges until the test answers them.
final class HeldTrustDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  struct Held: Sendable {
    let challenge: URLAuthenticationChallenge
    let answer: Answer

    /// Accepts the server.
    func accept() {
      guard let trust = challenge.protectionSpace.serverTrust else { return answer(.performDefaultHandling, nil) }
      answer(.useCredential, URLCredential(trust: trust))
    }
  }

  let held = Watched<[Held]>([])
  let ended = Watched<[URLSessionTask: URLError.Code?]>([:])
  private let event: @Sendable (String, URLSessionTask?) -> Void

  /// - Parameter event: is called in each method with its name, before anything else happens in it.
  init(_ event: @escaping @Sendable (String, URLSessionTask?) -> Void = { _, _ in }) { self.event = event }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge, completionHandler: @escaping Answer
  ) {
    event("challenge", nil)
    held.update { $0.append(Held(challenge: challenge, answer: completionHandler)) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    event("response", dataTask)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    event("data", dataTask)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    event("end", task)
    ended.update { $0[task] = .some((error as? URLError)?.code) }
  }

  /// How a task has ended; nil for success.
  func code(of task: URLSessionTask) -> URLError.Code? { ended.value[task] ?? nil }

  /// A session with it. Its loads have no proxy.
  func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }
}
