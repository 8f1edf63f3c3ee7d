import Foundation
import Synchronization
import URLLoading

/// Says what a session's delegate hears, a line a call.
final class WorkerDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private let folder: String
  private let password = Mutex("")
  private let dies = Mutex(false)
  private let trusts = Mutex(false)
  private let opening = Mutex<AsyncStream<Void>.Continuation?>(nil)
  private let gateTask = Mutex<Task<Void, Never>?>(nil)
  private let quiet = Mutex<Int?>(nil)
  private let delayedAnswer = Mutex<String?>(nil)

  init(folder: String) { self.folder = folder }

  func setPassword(_ given: String) { password.withLock { $0 = given } }

  /// Accepts servers that are not trusted.
  func setTrusts() { trusts.withLock { $0 = true } }

  /// Answers challenges only when it is told to.
  func setAnswersLater() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    opening.withLock { $0 = continuation }
    let task = Task { for await _ in stream { return } }
    gateTask.withLock { $0 = task }
  }

  func answer() { opening.withLock { _ = $0?.yield() } }

  private var gate: Task<Void, Never>? { gateTask.withLock { $0 } }

  /// Loads a URL in the place of tasks whose date has come; nothing for `cancel`, and what no service takes for `large`.
  func setDelayedAnswer(_ given: String) { delayedAnswer.withLock { $0 = given } }

  /// Says of ends alone how many there were, a line a hundred.
  func setQuiet() { quiet.withLock { $0 = 0 } }

  /// Ends in the method that gets a file, having taken it.
  func setDies() { dies.withLock { $0 = true } }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    if quiet.withLock({ $0 == nil }) {
      say("wrote \(downloadTask.taskIdentifier) \(totalBytesWritten) \(totalBytesExpectedToWrite)")
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) { say("went-on \(downloadTask.taskIdentifier) \(fileOffset) \(expectedTotalBytes)") }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    if quiet.withLock({ $0 != nil }) { return }
    let target = "\(folder)/\(downloadTask.taskIdentifier)"
    unlink(target)
    guard rename(location.path, target) == 0 else { return say("lost \(downloadTask.taskIdentifier) \(errno)") }
    if dies.withLock({ $0 }) {
      say("dies \(downloadTask.taskIdentifier)")
      kill(getpid(), SIGKILL)
    }
    say("file \(downloadTask.taskIdentifier)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) { say("sent \(task.taskIdentifier) \(totalBytesSent) \(totalBytesExpectedToSend)") }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    say("response \(dataTask.taskIdentifier) \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    return .allow
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    say("data \(dataTask.taskIdentifier) \(data.count)")
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    say("waits \(task.taskIdentifier)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    say("delayed \(task.taskIdentifier)")
    guard let answer = delayedAnswer.withLock({ $0 }) else { return (.continueLoading, nil) }
    guard answer != "cancel" else { return (.cancel, nil) }
    guard answer != "large" else {
      var large = request
      (large.httpMethod, large.httpBody) = ("POST", Data(count: 1 << 20))
      return (.useNewRequest, large)
    }
    return (.useNewRequest, URL(string: answer).map { URLRequest(url: $0) })
  }

  /// Follows none: of tasks in the service nobody asks.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    say("redirected \(task.taskIdentifier)")
    return nil
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    say(
      "asked \(task.taskIdentifier) \(challenge.protectionSpace.authenticationMethod) \(challenge.previousFailureCount)"
    )
    if let gate { await gate.value }
    if let trust = challenge.protectionSpace.serverTrust {
      let isTrusted = (try? trust.evaluate()) != nil
      say("server \(task.taskIdentifier) \(trust.host ?? "") \(trust.certificates.count) \(isTrusted)")
      guard trusts.withLock({ $0 }) else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(trust: trust))
    }
    let parts = password.withLock { $0 }.split(separator: ":").map(String.init)
    guard parts.count == 2, challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
    return (.useCredential, URLCredential(user: parts[0], password: parts[1], persistence: .none))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    if quiet.withLock({ $0 != nil }) { return }
    let transactions = metrics.transactionMetrics.map { transaction in
      let status = (transaction.response as? HTTPURLResponse)?.statusCode ?? 0
      let (path, name) = (transaction.request.url?.path ?? "", transaction.networkProtocolName ?? "")
      let (count, port) = (transaction.countOfResponseBodyBytesReceived, transaction.remotePort ?? "")
      return " \(path),\(status),\(name),\(count),\(port)"
    }
    say("metrics \(task.taskIdentifier) \(metrics.redirectCount)\(transactions.joined())")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let count = quiet.withLock { count in
      count = count.map { $0 + 1 }
      return count
    }
    if let count { return count % 100 == 0 ? say("ends \(count)") : () }
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
    guard let error = error as NSError? else { return say("ended \(task.taskIdentifier) 0 \(status)") }
    say("ended \(task.taskIdentifier) \(error.code) \(error.localizedDescription)")
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { say("invalid") }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { say("finished-events") }
}
