import Dispatch
import Glibc
import Testing
import URLLoadingBase

@testable import URLLoadingCurlTransport

/// Functions that go on from the loop's thread.
@Suite(.timeLimit(.minutes(1))) struct ResumptionTests {
  /// Waits until the loop has it go on, in a turn with others.
  private func waitOnLoop(passesOn: Bool = true, _ before: @escaping @Sendable () -> Void = {}) async {
    let crowd = await withUnsafeContinuation { continuation in
      EventLoop.shared.execute {
        before()
        EventLoop.resume(continuation)
      }
    }
    if passesOn { crowd?.passOn() }
  }

  @Test(arguments: [1, 2, 15, 16, 17, 1000], [true, false])
  func allGoOn(count: Int, passingOn passesOn: Bool) async {
    let done = await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await waitOnLoop(passesOn: passesOn) } }
      return await group.reduce(0) { done, _ in done + 1 }
    }
    #expect(done == count)
  }

  /// Whoever is held back for others to come does not wait for as long as there is something to do.
  @Test func goesOnWhileTheLoopIsBusy() async {
    let isBusy = Locked(true)
    @Sendable func keepBusy() {
      if isBusy.withLock({ $0 }) { EventLoop.shared.execute { keepBusy() } }
    }
    await waitOnLoop(keepBusy)
    await waitOnLoop()
    isBusy.withLock { $0 = false }
  }

  /// Elsewhere than on the loop there is no turn to wait for.
  @Test func goesOnAtOnceOnOtherThreads() async {
    #expect(!EventLoop.isLoopThread)
    let crowd = await withUnsafeContinuation { EventLoop.resume($0) }
    #expect(crowd == nil)
  }

  /// A crowd of high priority does not wait until work of lower priority leaves a thread to it.
  @Test func goesOnWhileThreadsOfLowerPriorityAreBusy() async {
    let busyWork = BusyWork()
    let end = ContinuousClock.now + .seconds(20)
    for _ in 0..<2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
      DispatchQueue.global().async {
        while busyWork.goesOn, ContinuousClock.now < end {}
        busyWork.end()
      }
    }
    let tasks = (0..<3).map { _ in
      Task(priority: .high) {
        _ = await withUnsafeContinuation { continuation in
          let crowd = busyWork.add(continuation)
          if crowd.count == 3 { EventLoop.shared.execute { crowd.forEach(EventLoop.resume) } }
        }
        return busyWork.arrive(of: 3)
      }
    }
    // Nobody passes it on: the third has only the loop.
    for task in tasks { #expect(await task.value) }
  }
}

/// Work that keeps threads busy until it is told to end, and those who wait meanwhile.
private final class BusyWork: Sendable {
  private let isGoingOn = Locked(true)
  private let waiters = Locked<[Crowd.Function]>([])
  private let arrivals = Locked(0)

  var goesOn: Bool { isGoingOn.withLock { $0 } }

  func end() { isGoingOn.withLock { $0 = false } }

  /// One of so many has gone on, of whom the last ends it: the test itself needs a thread. Returns whether it went on until now.
  func arrive(of count: Int) -> Bool {
    let wasGoingOn = goesOn
    let isLast = arrivals.withLock { arrivals in
      arrivals += 1
      return arrivals == count
    }
    if isLast { end() }
    return wasGoingOn
  }

  /// Returns all who wait.
  func add(_ waiter: Crowd.Function) -> [Crowd.Function] {
    waiters.withLock { waiters in
      waiters.append(waiter)
      return waiters
    }
  }
}
