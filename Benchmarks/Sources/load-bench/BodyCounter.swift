import Measuring

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
    let completion: CallbackChain.Completion
  }

  private let lock = NSLock()
  private var loads: [Int: Load] = [:]

  /// Loads a request in a session whose delegate this is.
  func load(_ request: URLRequest, in session: URLSession, completion: @escaping CallbackChain.Completion) {
    let task = session.dataTask(with: request)
    lock.withLock { loads[task.taskIdentifier] = Load(completion: completion) }
    task.resume()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { loads[dataTask.taskIdentifier]?.count += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let load = lock.withLock({ loads.removeValue(forKey: task.taskIdentifier) }) else { return }
    load.completion(error.map { .failure($0) } ?? .success(load.count))
  }
}
