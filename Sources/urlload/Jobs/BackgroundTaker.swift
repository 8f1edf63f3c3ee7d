import Foundation
import Synchronization
import URLLoading

/// Moves the files of background loads to their places, and says how each has ended.
///
/// Mutable state: `state`, guarded by its lock.
final class BackgroundTaker: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private struct State {
    var hasFailed = false
    var isCaughtUp = false
    var waiter: CheckedContinuation<Void, Never>?
    var failures: [Int: String] = [:]
    var hasEvents = false
    var eventWaiter: CheckedContinuation<Void, Never>?
  }

  private let console: Console
  /// Says nothing of what went well.
  private let isQuiet: Bool
  private let state = Mutex(State())

  init(console: Console, isQuiet: Bool) {
    self.console = console
    self.isQuiet = isQuiet
  }

  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Returns when the delegate has heard of what had waited.
  func waitForEvents(of session: URLSession) async {
    guard await !session.allTasks.isEmpty else { return }
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if !state.hasEvents { state.eventWaiter = continuation }
        return state.hasEvents
      }
      if isDue { continuation.resume() }
    }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    let waiter = state.withLock { state in
      state.hasEvents = true
      return state.eventWaiter.take()
    }
    waiter?.resume()
  }

  /// Returns when all tasks of a session have ended.
  func waitForAll(of session: URLSession) async {
    while await !session.allTasks.isEmpty {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.isCaughtUp {
            state.isCaughtUp = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    }
  }

  private func wake() {
    let waiter = state.withLock { state in
      if state.waiter == nil { state.isCaughtUp = true }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard let place = BackgroundPlace(downloadTask.taskDescription), !place.path.isEmpty else { return }
    if place.take(location, name: downloadTask.response?.suggestedFilename) == nil {
      let reason = String(cString: strerror(errno))
      state.withLock { $0.failures[downloadTask.taskIdentifier] = "cannot be written to \(place.path): \(reason)" }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let url = task.originalRequest?.url.map { SafeText.url($0) } ?? "a job"
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 200
    let failure =
      state.withLock { $0.failures[task.taskIdentifier] } ?? error.map { SafeText.sentence($0.localizedDescription) }
      ?? (status >= 400 ? "the server says \(status)" : nil)
    if let failure {
      state.withLock { $0.hasFailed = true }
      console.line("urlload: failed \(url): \(failure)")
    } else if !isQuiet {
      console.line("urlload: loaded \(url)")
    }
    wake()
  }
}
