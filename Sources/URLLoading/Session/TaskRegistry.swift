internal import CurlTransport
internal import Synchronization

/// The tasks of a session: those that were resumed are held until they end, others only known while somebody holds them.
///
/// Mutable state: `state`, guarded by its lock; `lastIdentifier`, an atomic.
final class TaskRegistry: Sendable {
  /// Where a task is.
  enum Place {
    case unstarted(Int)
    case held(Int)
  }

  private struct Weak { weak var task: URLSessionTask? }

  /// References at places that their tasks know, so that none is searched for.
  private struct Table<Reference> {
    private(set) var entries: [Reference?] = []
    private var vacant: [Int] = []

    var isEmpty: Bool { entries.count == vacant.count }

    mutating func insert(_ reference: Reference) -> Int {
      guard let place = vacant.popLast() else {
        entries.append(reference)
        return entries.count - 1
      }
      entries[place] = reference
      return place
    }

    mutating func remove(at place: Int) {
      entries[place] = nil
      vacant.append(place)
      if vacant.count == entries.count {
        // What a crowd left behind is not kept for ever.
        entries.removeAll(keepingCapacity: entries.count <= 1024)
        vacant.removeAll(keepingCapacity: true)
      }
    }
  }

  private struct State {
    var unstarted = Table<Weak>()
    var held = Table<URLSessionTask>()

    mutating func take(_ task: URLSessionTask) {
      switch task.registryPlace {
      case .unstarted(let place): unstarted.remove(at: place)
      case .held(let place): held.remove(at: place)
      case nil: break
      }
      task.registryPlace = nil
    }
  }

  private let state = Locked(State())
  private let lastIdentifier = Atomic(0)

  /// A number that no other task of this session has.
  func nextIdentifier() -> Int { lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Knows a task without holding it, until it is retained, removed, or gone.
  func add(_ task: URLSessionTask) {
    state.withLock { task.registryPlace = .unstarted($0.unstarted.insert(Weak(task: task))) }
  }

  /// Holds a task until ``remove(_:)``.
  func retain(_ task: URLSessionTask) {
    state.withLock { state in
      if case .held = task.registryPlace { return }
      state.take(task)
      task.registryPlace = .held(state.held.insert(task))
    }
  }

  /// Knows a task no longer.
  // Whoever calls holds the task, or ends it: it must not go while the lock is held, since what it releases may come back here.
  func remove(_ task: URLSessionTask) {
    state.withLock { $0.take(task) }
  }

  /// The tasks that were resumed and have not ended, in no order.
  var resumed: [URLSessionTask] { state.withLock { $0.held.entries.compactMap { $0 } } }

  /// The tasks that have not ended, in the order in which they were made.
  var all: [URLSessionTask] {
    let found = state.withLock { state in
      state.held.entries.compactMap { $0 } + state.unstarted.entries.compactMap { $0?.task }
    }
    return found.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Whether no resumed task is left. One that nobody resumed cannot keep a session from ending.
  var isIdle: Bool { state.withLock { $0.held.isEmpty } }
}
