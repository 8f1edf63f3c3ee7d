internal import URLLoadingBase

// Safe to share: `state` is touched only while `condition` is locked.
/// Threads for work that blocks: file reads, libraries without an asynchronous form, `startLoading` of users' classes. Neither the
/// transfer loop nor Swift's cooperative pool may wait for such work.
///
/// A thread is made for work that finds none idle, up to a limit, and ends after some idle seconds. Work that waits for other work
/// needs another pool: in one pool at its limit both could wait forever.
///
/// Mutable state: `state`, guarded by `condition`.
public final class BlockingPool: @unchecked Sendable {
  /// For reads of files and streams: short pieces of work.
  static let engines = BlockingPool(name: "URLLoading engine", maximumThreadCount: 16)

  /// For `startLoading` of users' classes, which may take as long as the load: many threads, so that a stalled one does not delay others.
  static let protocols = BlockingPool(name: "URLLoading protocol", maximumThreadCount: 512)

  /// For reads of streams, which wait for whoever writes them: that may be a class of the pool above.
  static let streams = BlockingPool(name: "URLLoading stream", maximumThreadCount: 512)

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

  /// The number of threads, those that are about to begin or to end included.
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
    BlockingThread.run(name: name, stackSize: 1 << 20) { self.serve() }
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

  /// The oldest work; called under the lock. Work that was taken is removed from time to time: under load the queue may never be empty.
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
