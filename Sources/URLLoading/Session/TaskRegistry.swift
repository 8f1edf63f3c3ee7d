internal import CurlTransport

/// The tasks of a session: those that were resumed are held until they end, others only known while somebody holds them.
///
/// Mutable state: `state`, guarded by its lock.
final class TaskRegistry: Sendable {
  private struct Weak { weak var task: URLSessionTask? }

  private struct State {
    var lastIdentifier = 0
    var unstarted: [Int: Weak] = [:]
    var held: [Int: URLSessionTask] = [:]
  }

  private let state = Locked(State())

  /// A number that no other task of this session has.
  func nextIdentifier() -> Int {
    state.withLock { state in
      state.lastIdentifier += 1
      return state.lastIdentifier
    }
  }

  /// Knows a task without holding it.
  func add(_ task: URLSessionTask) {
    state.withLock { $0.unstarted[task.taskIdentifier] = Weak(task: task) }
  }

  /// Holds a task until ``remove(_:)``.
  func retain(_ task: URLSessionTask) {
    state.withLock { state in
      state.unstarted[task.taskIdentifier] = nil
      state.held[task.taskIdentifier] = task
    }
  }

  func remove(_ task: URLSessionTask) { forget(task.taskIdentifier) }

  func forget(_ identifier: Int) {
    // The task must not go while the lock is held: what it releases may come back here.
    let released = state.withLock { state in
      state.unstarted[identifier] = nil
      return state.held.removeValue(forKey: identifier)
    }
    _ = released
  }

  /// The tasks that have not ended, in the order in which they were made.
  var all: [URLSessionTask] {
    let found = state.withLock { state in
      Array(state.held.values) + state.unstarted.values.compactMap { $0.task }
    }
    return found.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Whether no resumed task is left. One that nobody resumed cannot keep a session from ending.
  var isIdle: Bool { state.withLock { $0.held.isEmpty } }
}
