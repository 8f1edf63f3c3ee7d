import Foundation
import URLLoading
import URLLoadingTestServers

/// A delegate that writes down what it is told, and answers what it is asked by closures.
///
/// Mutable state: the records by task identifier, guarded by `records`.
final class LoadRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  typealias ChallengeAnswer = (URLSession.AuthChallengeDisposition, URLCredential?)

  let records = Watched<[Int: LoadRecord]>([:])
  /// The request to follow, or nil to refuse.
  let onRedirect: @Sendable (HTTPURLResponse, URLRequest) -> URLRequest?
  let onChallenge: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer
  /// A stream with the body, for the count of times it was asked for, from 1.
  let onStream: @Sendable (Int) -> InputStream?

  init(
    onRedirect: @escaping @Sendable (HTTPURLResponse, URLRequest) -> URLRequest? = { $1 },
    onChallenge: @escaping @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer = { _ in
      (.performDefaultHandling, nil)
    },
    onStream: @escaping @Sendable (Int) -> InputStream? = { _ in nil }
  ) {
    self.onRedirect = onRedirect
    self.onChallenge = onChallenge
    self.onStream = onStream
  }

  func record(of task: Int) -> LoadRecord { records.read { $0[task] } ?? LoadRecord() }

  @discardableResult
  private func note<Result>(
    _ task: URLSessionTask, _ event: String, _ body: (inout LoadRecord) -> Result
  ) -> Result {
    records.update { records in
      records[task.taskIdentifier, default: LoadRecord()].events.append(event)
      return body(&records[task.taskIdentifier, default: LoadRecord()])
    }
  }

  // MARK: Tasks

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    note(task, "waiting") { _ in }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note(task, "redirect") { $0.redirects.append((response, request)) }
    completionHandler(onRedirect(response, request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Every TLS connection asks; tests about that have delegates of their own.
    guard challenge.protectionSpace.serverTrust == nil else { return completionHandler(.performDefaultHandling, nil) }
    note(task, "challenge") { $0.challenges.append(challenge) }
    let (disposition, credential) = onChallenge(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    let count = note(task, "stream") { record in
      record.streams += 1
      return record.streams
    }
    completionHandler(onStream(count))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    note(task, "informational") { $0.informational.append(response) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    note(task, "metrics") { $0.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note(task, "completion") { record in
      record.error = error
      record.completions += 1
      record.response = record.response ?? task.response
    }
  }

  // MARK: Data and downloads

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note(dataTask, "response") { $0.response = response }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note(dataTask, "data") { $0.body += data }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    note(downloadTask, "file") { $0.body = (try? Data(contentsOf: location)) ?? Data() }
  }
}
