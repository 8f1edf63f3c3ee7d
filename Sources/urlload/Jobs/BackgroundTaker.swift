import Foundation
import Synchronization
import URLLoading

/// Moves the files of background loads to their places, and says how each has ended.
///
/// Mutable state: `state`, guarded by its lock.
final class BackgroundTaker: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private struct State {
    var failedTasks: Set<Int> = []
    /// The numbers of the tasks whose end was told: the session has them a little longer.
    var ended: Set<Int> = []
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

  /// The numbers of the tasks that have failed.
  var failedTasks: Set<Int> { state.withLock { $0.failedTasks } }

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
    while await hasUnfinishedTask(session) {
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

  private func hasUnfinishedTask(_ session: URLSession) async -> Bool {
    let numbers = await session.allTasks.map(\.taskIdentifier)
    return state.withLock { !$0.ended.isSuperset(of: numbers) }
  }

  private func wake(endOf number: Int) {
    let waiter = state.withLock { state in
      state.ended.insert(number)
      if state.waiter == nil { state.isCaughtUp = true }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard let place = BackgroundPlace(downloadTask.taskDescription), !place.isNowhere else { return }
    let response = downloadTask.response
    let name = response?.suggestedFilename
    switch BackgroundVerdict(response, to: downloadTask.originalRequest, place) {
    case .leave: return
    case .refuse(let failure): fail(downloadTask, failure.what)
    case .take:
      do throws(Failure) {
        let path = try place.take(location, name: name)
        if place.keepsTime, let date = response?.validators.lastModified { FileNames.setTime(date, of: path) }
      } catch {
        let kept = FailedJobs().keep(location, name: name).map { "; it is kept in \($0)" } ?? ""
        fail(downloadTask, "\(error.what), \(error.subject ?? place.path)\(kept)")
      }
    }
  }

  private func fail(_ task: URLSessionTask, _ reason: String) {
    state.withLock { $0.failures[task.taskIdentifier] = reason }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    defer { wake(endOf: task.taskIdentifier) }
    // Whoever has queued it says so.
    guard session.backgroundRefusal(of: task) == nil else { return }
    let url = task.originalRequest?.url.map { SafeText.url($0) } ?? "a job"
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 200
    let failure =
      state.withLock { $0.failures[task.taskIdentifier] } ?? error.map { SafeText.sentence($0.localizedDescription) }
      ?? (status >= 400 ? Failure(status: status, url: task.originalRequest?.url).what : nil)
    if let failure {
      state.withLock { _ = $0.failedTasks.insert(task.taskIdentifier) }
      // A cancelled job is not listed.
      if (error as? URLError)?.code != .cancelled { FailedJobs().add(FailedJobs.Job(url: url, failure: failure)) }
      console.line("urlload: failed \(url): \(failure)")
    } else if !isQuiet {
      console.line("urlload: loaded \(url)")
    }
  }
}
