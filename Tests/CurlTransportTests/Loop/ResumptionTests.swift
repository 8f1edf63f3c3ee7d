import Dispatch
import Glibc
import Testing
import URLLoadingBase

@testable import URLLoadingCurlTransport

/// Continuations that are resumed from the loop's thread.
@Suite(.timeLimit(.minutes(4))) struct ResumptionTests {
  /// Waits until the loop resumes it, in a turn with others.
  private func waitOnLoop(_ before: @escaping @Sendable () -> Void = {}) async {
    await withUnsafeContinuation { continuation in
      EventLoop.shared.execute {
        before()
        EventLoop.resume(continuation)
      }
    }
  }

  @Test(arguments: [1, 2, 15, 16, 17, 1000]) func allAreResumed(count: Int) async {
    let done = await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await waitOnLoop() } }
      return await group.reduce(0) { done, _ in done + 1 }
    }
    #expect(done == count)
  }

  /// A batch does not wait until the loop has nothing to do.
  @Test func resumesWhileTheLoopIsBusy() async {
    let isBusy = Locked(true)
    @Sendable func keepBusy() {
      if isBusy.withLock({ $0 }) { EventLoop.shared.execute { keepBusy() } }
    }
    await waitOnLoop(keepBusy)
    await waitOnLoop()
    isBusy.withLock { $0 = false }
  }

  /// Elsewhere than on the loop there is no turn to wait for.
  @Test func resumesAtOnceOnOtherThreads() async {
    #expect(EventLoop.current == nil)
    await withUnsafeContinuation { EventLoop.resume($0) }
  }

  /// Continuations of high priority do not wait until work of lower priority leaves a thread to them.
  @Test func resumesWhileThreadsOfLowerPriorityAreBusy() async {
    let busyWork = BusyWork()
    let end = ContinuousClock.now + .seconds(20)
    for _ in 0..<2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
      DispatchQueue.global().async {
        while busyWork.isRunning, ContinuousClock.now < end {}
        busyWork.end()
      }
    }
    let tasks = (0..<3).map { _ in
      Task(priority: .high) {
        await withUnsafeContinuation { continuation in
          let waiters = busyWork.add(continuation)
          if waiters.count == 3 { EventLoop.shared.execute { waiters.forEach(EventLoop.resume) } }
        }
        return busyWork.arrive(of: 3)
      }
    }
    for task in tasks { #expect(await task.value) }
  }
}

/// Work that keeps threads busy until it is told to end, and those who wait meanwhile.
private final class BusyWork: Sendable {
  private let runs = Locked(true)
  private let waiters = Locked<[UnsafeContinuation<Void, Never>]>([])
  private let arrivals = Locked(0)

  var isRunning: Bool { runs.withLock { $0 } }

  func end() { runs.withLock { $0 = false } }

  /// One of `count` was resumed, of whom the last ends the work: the test itself needs a thread. Returns whether it ran until now.
  func arrive(of count: Int) -> Bool {
    let wasRunning = isRunning
    let isLast = arrivals.withLock { arrivals in
      arrivals += 1
      return arrivals == count
    }
    if isLast { end() }
    return wasRunning
  }

  /// Returns all who wait.
  func add(_ waiter: UnsafeContinuation<Void, Never>) -> [UnsafeContinuation<Void, Never>] {
    waiters.withLock { waiters in
      waiters.append(waiter)
      return waiters
    }
  }
}
