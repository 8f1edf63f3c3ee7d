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

  /// What came of the task, which has ended.
  func takeOutcome() -> LoadPlan.Outcome {
    let task = state.withLock { state in
      defer { state.task = nil }
      return state.task
    }
    return task?.load.takeOutcome() ?? LoadPlan.Outcome(body: .none, response: nil, error: URLError(.cancelled))
  }
}
