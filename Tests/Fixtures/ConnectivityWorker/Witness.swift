import Foundation
import SFTPProtocol
import URLLoading
import URLLoadingTestServers

/// A session that waits for connectivity, with a delegate that sees what is told, and trusts every SSH server.
///
/// Mutable state: what was seen, guarded by `seen`.
final class Witness: NSObject, URLSessionDataDelegate, Sendable {
  struct Seen: Sendable {
    var told = 0
    var ended = 0
    var body = Data()
    var errors: [Int] = []
    var transactions: [Int] = []
    /// The number of transactions in the metrics of a task, by its identifier. Loads within a load tell of theirs, too.
    var metrics: [Int: Int] = [:]
    var sent: Int64 = 0
  }

  let seen = Watched(Seen())

  /// A session of this delegate's.
  func session(
    classes: [AnyClass] = [], configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.waitsForConnectivity = true
    configuration.connectionProxyDictionary = [:]
    configuration.protocolClasses = classes
    configure(configuration)
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  func waitUntil(_ condition: @escaping @Sendable (Seen) -> Bool) async throws {
    guard await seen.wait(timeout: .seconds(60), until: condition) else {
      throw TestServerError("it did not happen within a minute: \(seen.value)")
    }
  }

  /// Prints what was seen of a single task that has ended.
  func report() {
    let seen = seen.value
    say("told \(seen.told)")
    say(seen.errors.first.map { "error \($0)" } ?? "body \(String(decoding: seen.body, as: UTF8.self))")
    say("transactions \(seen.transactions.map(String.init).joined(separator: " "))")
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    seen.update { $0.told += 1 }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    let key = challenge.protectionSpace as? SFTPHostKeySpace
    return key.map { (.useCredential, $0.acceptance) } ?? (.performDefaultHandling, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    seen.update { $0.sent = totalBytesSent }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    seen.update { $0.body += data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    seen.update { $0.metrics[task.taskIdentifier] = metrics.transactionMetrics.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    seen.update { seen in
      if let error { seen.errors.append((error as NSError).code) }
      if let count = seen.metrics[task.taskIdentifier] { seen.transactions.append(count) }
      seen.ended += 1
    }
  }
}

/// Prints a line at once, for tests that read along.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
