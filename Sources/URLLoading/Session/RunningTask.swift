internal import CurlTransport

/// Joins a task with the cancellation of the Swift `Task` that waits for it, whichever comes first.
///
/// Mutable state: `state`, guarded by its lock.
final class RunningTask: Sendable {
  private struct State {
    var task: URLSessionTask?
    var isCancelled = false
  }

  private let state = Locked(State())

  func start(_ task: URLSessionTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() } else { task.resume() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
