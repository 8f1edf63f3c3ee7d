import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// Sessions and servers of the tests about retries.
enum RetriedSession {
  typealias Policy = URLSessionConfiguration.RetryPolicy

  /// A policy whose waits are short.
  static func policy(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
    var policy = Policy()
    policy.firstDelay = 0.02
    policy.isJittered = false
    change(&policy)
    return policy
  }

  /// One whose first wait is of this length, and whose next are longer.
  static func policy(firstDelay: TimeInterval) -> Policy {
    policy { $0.firstDelay = firstDelay }
  }

  static func make(
    _ recorder: LoadRecorder = LoadRecorder(), _ policy: Policy = policy(),
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> RecordedSession {
    RecordedSession(recorder) {
      $0.retryPolicy = policy
      configure($0)
    }
  }

  /// A server that answers requests with these in turn, and all others with the last.
  static func server(_ answers: HTTPResponse...) throws -> ScriptedServer {
    let count = Watched(0)
    return try ScriptedServer.http { _ in
      let number = count.update {
        $0 += 1
        return $0
      }
      return answers[min(number, answers.count) - 1]
    }
  }
}

extension URLSessionTask {
  /// Whether the task waits until it is tried again.
  var awaitsRetry: Bool { load.read { $0.machine.awaitsRetry } }

  /// Waits until it does.
  func waitForRetry() async throws -> Bool {
    try await eventually(timeout: .seconds(20), interval: .milliseconds(2)) { awaitsRetry }
  }
}

extension LoadRecord {
  /// The statuses of all transactions; nil for those without an answer.
  var statuses: [Int?] {
    metrics?.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } ?? []
  }
}
