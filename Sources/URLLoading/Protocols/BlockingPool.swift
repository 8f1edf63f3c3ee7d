// Safe to share: `state` is touched only while `condition` is locked.
/// Threads for work that blocks: file reads, engines that know no other way, `startLoading` of foreign classes. Neither
/// the transfer loop nor Swift's cooperative pool may wait for such work.
///
/// Threads are made when work finds no idle one, up to a limit, and end after some idle seconds. Work that waits for other work
/// needs another pool than that: in one pool at its limit each would wait for the other's thread.
///
/// Mutable state: `state`, guarded by `condition`.
public final class BlockingPool: @unchecked Sendable {
  /// For reads of files and streams: short pieces of work.
  static let engines = BlockingPool(name: "URLLoading engine", maximumThreadCount: 16)

  /// For `startLoading` of foreign classes, which may take as long as the load: a stalled one must not hold up others.
  static let protocols = BlockingPool(name: "URLLoading protocol", maximumThreadCount: 512)

  private struct State {
    var work: [(@Sendable () -> Void)?] = []
    var next = 0
    var threads = 0
    var idle = 0
  }

  private let condition = NSCondition()
  private let name: String
  private let maximumThreadCount: Int
  private let idleTime: TimeInterval
  private var state = State()

  /// Makes a pool without threads.
  /// - Parameters:
  ///   - name: the name of its threads, for debuggers.
  ///   - maximumThreadCount: how many threads there are at most.
  ///   - idleTime: seconds after which a thread without work ends.
  public init(name: String, maximumThreadCount: Int, idleTime: TimeInterval = 5) {
    self.name = name
    self.maximumThreadCount = maximumThreadCount
    self.idleTime = idleTime
  }

  /// Threads that there are, those that are about to begin or to end included.
  public var threadCount: Int {
    condition.lock()
    defer { condition.unlock() }
    return state.threads
  }

  /// Whether there is work that no thread has taken yet.
  var hasWaitingWork: Bool {
    condition.lock()
    defer { condition.unlock() }
    return state.next < state.work.count
  }

  /// Runs `work` on a thread of the pool; waits for a free one where the limit is reached.
  public func run(_ work: @escaping @Sendable () -> Void) {
    condition.lock()
    state.work.append(work)
    let needsThread = state.idle < state.work.count - state.next && state.threads < maximumThreadCount
    if needsThread { state.threads += 1 } else { condition.signal() }
    condition.unlock()
    guard needsThread else { return }
    let thread = Thread { self.serve() }
    thread.name = name
    thread.stackSize = 1 << 20
    thread.start()
  }

  private func serve() {
    condition.lock()
    while true {
      if state.next < state.work.count {
        let work = takeFirst()
        condition.unlock()
        work?()
        condition.lock()
        continue
      }
      state.idle += 1
      let isSignalled = condition.wait(until: Date(timeIntervalSinceNow: idleTime))
      state.idle -= 1
      guard isSignalled || state.next < state.work.count else { break }
    }
    state.threads -= 1
    condition.unlock()
  }

  /// The oldest work; the caller holds the lock. Work that was taken is not kept until the queue is empty, which under load
  /// it may never be.
  private func takeFirst() -> (@Sendable () -> Void)? {
    let work = state.work[state.next]
    state.work[state.next] = nil
    state.next += 1
    if state.next == state.work.count {
      state.work.removeAll(keepingCapacity: true)
      state.next = 0
    } else if state.next >= 64, state.next * 2 >= state.work.count {
      state.work.removeFirst(state.next)
      state.next = 0
    }
    return work
  }
}
