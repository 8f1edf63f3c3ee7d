import Synchronization
import URLLoading

/// Moves what was downloaded into a folder, and says how each download has ended.
final class FileTaker: NSObject, URLSessionDownloadDelegate, Sendable {
  private struct State {
    var ended: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let folder: URL
  private let state = Mutex(State())

  init(folder: URL) { self.folder = folder }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let name = downloadTask.response?.suggestedFilename ?? "download"
    do {
      let target = folder.appending(path: name)
      // A program that ended before the service knew that it has the file gets it once more.
      try? FileManager.default.removeItem(at: target)
      // The file is gone when this method has returned.
      try FileManager.default.moveItem(at: location, to: target)
      print("took \(name)")
    } catch {
      print("cannot take \(name): \(error.localizedDescription)")
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { print("failed: \(error.localizedDescription)") }
    let waiting = state.withLock { state in
      state.ended.insert(task.taskIdentifier)
      return state.waiting.removeValue(forKey: task.taskIdentifier)
    }
    waiting?.resume()
  }

  /// Returns when the delegate has heard of a task's end.
  func end(of task: URLSessionTask) async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        let hasEnded = state.ended.contains(task.taskIdentifier)
        if !hasEnded { state.waiting[task.taskIdentifier] = continuation }
        return hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
