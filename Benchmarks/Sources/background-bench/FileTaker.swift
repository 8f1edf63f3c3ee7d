import Foundation
import Measuring
import Synchronization
import URLLoading

/// Takes the files of downloads, and tells each task's end.
///
/// Mutable state: `tasks`, guarded by its lock.
final class FileTaker: NSObject, URLSessionDownloadDelegate, Sendable {
  private struct Taken {
    let completion: CallbackChain.Completion
    var bytes = 0
  }

  private let tasks = Mutex<[Int: Taken]>([:])
  private let folder: URL

  /// - Parameter folder: where the files go.
  init(folder: URL) { self.folder = folder }

  /// Begins a task.
  func take(_ task: URLSessionDownloadTask, _ completion: @escaping CallbackChain.Completion) {
    tasks.withLock { $0[task.taskIdentifier] = Taken(completion: completion) }
    task.resume()
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    var facts = stat()
    let target = folder.appending(path: String(downloadTask.taskIdentifier)).path
    guard stat(location.path, &facts) == 0, rename(location.path, target) == 0 else { return }
    tasks.withLock { $0[downloadTask.taskIdentifier]?.bytes = Int(facts.st_size) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let taken = tasks.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    taken.completion(error.map { .failure($0) } ?? .success(taken.bytes))
  }
}
