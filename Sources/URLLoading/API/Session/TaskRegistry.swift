internal import Synchronization
internal import URLLoadingBase

/// The tasks of a session, retained from their creation to their end. Tasks that were not resumed are referenced weakly once the
/// session is about to end; tasks that their maker resumes at once, from the start.
///
/// Mutable state: `state`, guarded by its lock; `lastIdentifier`, atomic.
final class TaskRegistry: Sendable {
  /// Where a task is.
  enum Place {
    case unstarted(Int)
    case resumed(Int)
  }

  /// A reference to a task that was not resumed.
  private enum Unstarted {
    case strong(URLSessionTask)
    case weak(Weak)

    var task: URLSessionTask? {
      switch self {
      case .strong(let task): task
      case .weak(let weak): weak.task
      }
    }
  }

  private struct Weak { weak var task: URLSessionTask? }

  /// References at indexes that their tasks remember, so that none is searched for.
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
      // Does not keep the capacity of a peak.
      if isEmpty, entries.count > 1024 { (entries, vacant) = ([], []) }
    }
  }

  private struct State {
    var unstarted = Table<Unstarted>()
    var resumed = Table<URLSessionTask>()
    var retainsUnstarted = true

    mutating func take(_ task: URLSessionTask) {
      switch task.registryPlace {
      case .unstarted(let place): unstarted.remove(at: place)
      case .resumed(let place): resumed.remove(at: place)
      case nil: break
      }
      task.registryPlace = nil
    }
  }

  private let state = Locked(State(), rank: .taskRegistry)
  private let lastIdentifier = Atomic(0)

  /// A number that no other task of this session has; for sessions that do not choose.
  func nextIdentifier() -> Int { lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue }

  /// A number that no other task of this session has, chosen by whoever knows of those that others have. Such a session always chooses.
  /// - Parameter choose: gets the smallest that may be; nil leaves it at that.
  func nextIdentifier(_ choose: (Int) -> Int?) -> Int {
    // Under the lock: two that choose at once would choose the same.
    state.withLock { _ in
      let smallest = nextIdentifier()
      let chosen = max(smallest, choose(smallest) ?? smallest)
      _ = lastIdentifier.max(chosen, ordering: .relaxed)
      return chosen
    }
  }

  /// Numbers later tasks from `next` on, or higher.
  func skipIdentifiers(below next: Int) {
    _ = lastIdentifier.max(next - 1, ordering: .relaxed)
  }

  /// Adds a task that was just made.
  /// - Parameter retains: whether the reference is strong.
  func add(_ task: URLSessionTask, retains: Bool) {
    state.withLock { state in
      let entry = retains && state.retainsUnstarted ? Unstarted.strong(task) : .weak(Weak(task: task))
      task.registryPlace = .unstarted(state.unstarted.insert(entry))
    }
  }

  /// From now on, references tasks weakly until they are resumed.
  func releaseUnstarted() {
    let released = state.withLock { state -> [URLSessionTask] in
      var released: [URLSessionTask] = []
      state.retainsUnstarted = false
      state.unstarted.replaceAll { entry in
        guard case .strong(let task) = entry else { return entry }
        released.append(task)
        return .weak(Weak(task: task))
      }
      return released
    }
    // Not under the lock: the end of a task calls `remove(_:)`.
    withExtendedLifetime(released) {}
  }

  /// Retains a resumed task until ``remove(_:)``.
  func retain(_ task: URLSessionTask) {
    state.withLock { state in
      if case .resumed = task.registryPlace { return }
      state.take(task)
      task.registryPlace = .resumed(state.resumed.insert(task))
    }
  }

  /// Removes a task, which the caller references: its end calls this, so it must not be under the lock.
  func remove(_ task: URLSessionTask) {
    state.withLock { $0.take(task) }
  }

  /// The tasks that were resumed and have not ended, in no order.
  var resumed: [URLSessionTask] { state.withLock { $0.resumed.entries.compactMap { $0 } } }

  /// The tasks that have not ended, in the order in which they were made.
  var all: [URLSessionTask] {
    let found = state.withLock { state in
      state.resumed.entries.compactMap { $0 } + state.unstarted.entries.compactMap { $0?.task }
    }
    return found.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Whether no resumed task is left: one that was not resumed does not keep a session from ending.
  var isIdle: Bool { state.withLock { $0.resumed.isEmpty } }
}
