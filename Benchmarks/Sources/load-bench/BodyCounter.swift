#if PEER
import Foundation
import FoundationNetworking
#else
import URLLoading
#endif

/// A delegate that counts the bytes of bodies and drops them.
///
/// Mutable state: `loads`, guarded by `lock`; that is what makes it safe to share.
final class BodyCounter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private struct Load {
    var count = 0
    let continuation: CheckedContinuation<Int, any Error>
  }

  private let lock = NSLock()
  private var loads: [Int: Load] = [:]

  /// Loads a URL in a session whose delegate this is.
  func load(_ url: URL, in session: URLSession) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: url)
      lock.withLock { loads[task.taskIdentifier] = Load(continuation: continuation) }
      task.resume()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { loads[dataTask.taskIdentifier]?.count += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let load = lock.withLock({ loads.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      load.continuation.resume(throwing: error)
    } else {
      load.continuation.resume(returning: load.count)
    }
  }
}
