internal import CurlTransport

/// Threads for work that blocks: file reads, engines that know no other way, `startLoading` of foreign classes. Neither
/// the transfer loop nor Swift's cooperative pool may wait for such work.
///
/// Threads are made when work finds no idle one, up to a limit, and end after some idle seconds.
///
/// Mutable state: `state`, guarded by `condition`.
// Safe to share: `state` is touched only while `condition` is locked.
final class BlockingPool: @unchecked Sendable {
  /// For reads of files and streams: short pieces of work.
  static let engines = BlockingPool(name: "URLLoading engine", maximumThreadCount: 16)

  /// For `startLoading` of foreign classes, which may take as long as the load: a stalled one must not hold up others.
  static let protocols = BlockingPool(name: "URLLoading protocol", maximumThreadCount: 512)

  private struct State {
    var work: [@Sendable () -> Void] = []
    var next = 0
    var threads = 0
    var idle = 0
  }

  private let condition = NSCondition()
  private let name: String
  private let maximumThreadCount: Int
  private var state = State()

  init(name: String, maximumThreadCount: Int) {
    self.name = name
    self.maximumThreadCount = maximumThreadCount
  }

  /// Runs `work` on a thread of the pool; waits for a free one where the limit is reached.
  func run(_ work: @escaping @Sendable () -> Void) {
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
        let work = state.work[state.next]
        state.next += 1
        if state.next == state.work.count {
          state.work.removeAll(keepingCapacity: true)
          state.next = 0
        }
        condition.unlock()
        work()
        condition.lock()
        continue
      }
      state.idle += 1
      let isSignalled = condition.wait(until: Date(timeIntervalSinceNow: 5))
      state.idle -= 1
      guard isSignalled || state.next < state.work.count else { break }
    }
    state.threads -= 1
    condition.unlock()
  }
}
