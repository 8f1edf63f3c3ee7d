internal import CurlTransport

/// The tasks of a session: those that were resumed are held until they end, others only known while somebody holds them.
///
/// Mutable state: `state`, guarded by its lock.
final class TaskRegistry: Sendable {
  private struct Weak { weak var task: URLSessionTask? }

  private struct State {
    var lastIdentifier = 0
    var unstarted: [Int: Weak] = [:]
    /// Each at the place that it knows, so that none is searched for.
    var held: [URLSessionTask?] = []
    var free: [Int] = []
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
      if !state.unstarted.isEmpty { state.unstarted[task.taskIdentifier] = nil }
      guard task.registryPlace == nil else { return }
      if let place = state.free.popLast() {
        state.held[place] = task
        task.registryPlace = place
      } else {
        task.registryPlace = state.held.count
        state.held.append(task)
      }
    }
  }

  func remove(_ task: URLSessionTask) {
    // The caller holds the task: it must not go while the lock is held, since what it releases may come back here.
    state.withLock { state in
      if !state.unstarted.isEmpty { state.unstarted[task.taskIdentifier] = nil }
      guard let place = task.registryPlace else { return }
      task.registryPlace = nil
      state.held[place] = nil
      state.free.append(place)
      if state.free.count == state.held.count {
        // What a crowd left behind is not kept for ever.
        state.held.removeAll(keepingCapacity: state.held.count <= 1024)
        state.free.removeAll(keepingCapacity: true)
      }
    }
  }

  /// A task that nobody resumed is gone.
  func forget(_ identifier: Int) {
    state.withLock { $0.unstarted[identifier] = nil }
  }

  /// The tasks that were resumed and have not ended, in no order.
  var resumed: [URLSessionTask] { state.withLock { $0.held.compactMap { $0 } } }

  /// The tasks that have not ended, in the order in which they were made.
  var all: [URLSessionTask] {
    let found = state.withLock { state in
      state.held.compactMap { $0 } + state.unstarted.values.compactMap { $0.task }
    }
    return found.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Whether no resumed task is left. One that nobody resumed cannot keep a session from ending.
  var isIdle: Bool { state.withLock { $0.held.count == $0.free.count } }
}
