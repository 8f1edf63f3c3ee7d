internal import Synchronization
internal import URLLoadingBase

/// The tasks of a session, held from their creation to their end. Once the session is about to end, those that nobody has resumed are
/// only known while somebody else holds them; and so are from the start those that are resumed by who made them.
///
/// Mutable state: `state`, guarded by its lock; `lastIdentifier`, an atomic.
final class TaskRegistry: Sendable {
  /// Where a task is.
  enum Place {
    case unstarted(Int)
    case held(Int)
  }

  /// How a task that was not resumed is known.
  private enum Unstarted {
    case held(URLSessionTask)
    case known(Weak)

    var task: URLSessionTask? {
      switch self {
      case .held(let task): task
      case .known(let weak): weak.task
      }
    }
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

    mutating func replaceAll(_ replacement: (Reference) -> Reference) {
      for place in entries.indices { entries[place] = entries[place].map(replacement) }
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
    var unstarted = Table<Unstarted>()
    var held = Table<URLSessionTask>()
    var holdsUnstarted = true

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

  /// Takes a task that was just made.
  /// - Parameter holds: whether it is held; one that is not is known until it is retained, removed, or gone.
  func add(_ task: URLSessionTask, holds: Bool) {
    state.withLock { state in
      let entry = holds && state.holdsUnstarted ? Unstarted.held(task) : .known(Weak(task: task))
      task.registryPlace = .unstarted(state.unstarted.insert(entry))
    }
  }

  /// Holds no task any more, from now on, before it is resumed.
  func letGoOfUnstarted() {
    let released = state.withLock { state -> [URLSessionTask] in
      var released: [URLSessionTask] = []
      state.holdsUnstarted = false
      state.unstarted.replaceAll { entry in
        guard case .held(let task) = entry else { return entry }
        released.append(task)
        return .known(Weak(task: task))
      }
      return released
    }
    // What a task releases may come back here: not while the lock is held.
    withExtendedLifetime(released) {}
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
