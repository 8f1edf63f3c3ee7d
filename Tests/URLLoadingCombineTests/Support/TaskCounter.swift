import Foundation
import URLLoading
import URLLoadingTestServers

/// A session's delegate that counts the tasks that were made.
final class TaskCounter: NSObject, URLSessionTaskDelegate, Sendable {
  let made = Watched(0)

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    made.update { $0 += 1 }
  }

  /// A session that is counted, and what counts.
  static func session() -> (URLSession, TaskCounter) {
    let counter = TaskCounter()
    return (URLSession(configuration: .ephemeral, delegate: counter, delegateQueue: nil), counter)
  }
}
