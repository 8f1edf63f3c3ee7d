import Foundation
import URLLoading
import URLLoadingTestServers

/// A session's delegate that answers challenges, and notes which tasks it was told of.
final class Witness: NSObject, URLSessionTaskDelegate, URLSessionDataDelegate {
  struct Notes {
    var challenges: [String] = []
    var schemes: Set<String> = []
    var metrics: [URLSessionTaskMetrics] = []
  }

  let notes = Watched(Notes())
  private let credential: URLCredential?
  private let trusts: Bool

  init(credential: URLCredential? = nil, trusts: Bool = false) {
    self.credential = credential
    self.trusts = trusts
  }

  private func note(_ task: URLSessionTask) {
    notes.update { $0.schemes.insert(task.originalRequest?.url?.scheme ?? "") }
  }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note(task) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    note(task)
    let space = challenge.protectionSpace
    notes.update { $0.challenges.append("\(space.authenticationMethod) \(challenge.previousFailureCount)") }
    if let trust = space.serverTrust {
      return trusts ? (.useCredential, URLCredential(trust: trust)) : (.performDefaultHandling, nil)
    }
    guard let credential, challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
    return (.useCredential, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    note(task)
    return request
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    note(task)
    notes.update { $0.metrics.append(metrics) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { note(task) }
}
