import Foundation
import Testing
import URLLoadingCombine
import URLLoadingTestServers

/// `DispatchQueue`, `OperationQueue` and `RunLoop` as Combine's schedulers.
@Suite(.timeLimit(.minutes(4))) struct SchedulerTests {
  /// Runs the checks that every scheduler has to pass.
  /// - Parameters:
  ///   - keepsOrder: whether what is due at one moment runs in the order in which it was scheduled. Dispatch does not promise that.
  ///   - isThere: whether the caller runs where the scheduler runs things.
  private func check<S: Scheduler>(
    _ scheduler: S, keepsOrder: Bool = true, isThere: @escaping @Sendable () -> Bool
  ) async throws {
    let places = Watched<[Bool]>([])
    let order = Watched<[Int]>([])
    for number in 0..<100 {
      scheduler.schedule {
        places.update { $0.append(isThere()) }
        order.update { $0.append(number) }
      }
    }
    #expect(await order.wait { $0.count == 100 })
    #expect(order.value == Array(0..<100))
    #expect(places.value.allSatisfy { $0 })

    let start = ContinuousClock.now
    let passed = Watched<Duration?>(nil)
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(50))) {
      passed.update { $0 = ContinuousClock.now - start }
    }
    // What is due at one moment, and at the same time as far as a clock can tell.
    let moment = scheduler.now.advanced(by: .milliseconds(20))
    let delayed = Watched<[Int]>([])
    for number in 0..<100 {
      let date = keepsOrder ? moment : scheduler.now.advanced(by: .milliseconds(20))
      scheduler.schedule(after: date) { delayed.update { $0.append(number) } }
    }
    #expect(await delayed.wait { $0.count == 100 })
    #expect(delayed.value == Array(0..<100))
    // A moment that has passed is at once.
    let late = AsyncEvent()
    scheduler.schedule(
      after: scheduler.now.advanced(by: .seconds(-10)), tolerance: scheduler.minimumTolerance, options: nil
    ) { late.signal() }
    #expect(await late.wait())
    #expect(await passed.wait { $0 != nil })
    #expect(try #require(passed.value) >= .milliseconds(49))

    let count = Watched(0)
    let timer = scheduler.schedule(
      after: scheduler.now, interval: .milliseconds(2), tolerance: .milliseconds(-1), options: nil
    ) { count.update { $0 += 1 } }
    #expect(await count.wait { $0 >= 3 })
    timer.cancel()
    // What ran at the moment of the cancel has ended when the next action runs.
    let ended = AsyncEvent()
    scheduler.schedule { ended.signal() }
    #expect(await ended.wait())
    let last = count.value
    let later = AsyncEvent()
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(30))) { later.signal() }
    #expect(await later.wait())
    #expect(count.value == last)
  }

  @Test func aDispatchQueueSchedules() async throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "scheduler")
    queue.setSpecific(key: key, value: true)
    try await check(queue, keepsOrder: false) { DispatchQueue.getSpecific(key: key) == true }
  }

  @Test func anOperationQueueSchedules() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    try await check(queue) { OperationQueue.current === queue }
  }

  @Test func theMainQueuesAndTheMainRunLoopSchedule() async throws {
    try await check(DispatchQueue.main, keepsOrder: false) { MainQueue.isCurrent }
    try await check(OperationQueue.main) { MainQueue.isCurrent }
    try await check(RunLoop.main) { MainQueue.isCurrent }
  }

  // Safe to share: the run loop is told to perform things, which any thread may.
  private struct Loop: @unchecked Sendable {
    let loop: RunLoop
    let thread: Thread
  }

  /// The thread waits for events of its run loop until the process ends.
  @Test func aRunLoopOfAThreadSchedules() async throws {
    let found = Watched<Loop?>(nil)
    Thread.detachNewThread {
      let loop = RunLoop.current
      // Without a source a run loop does not wait.
      loop.add(Timer(timeInterval: 86_400, repeats: true) { _ in }, forMode: .default)
      found.update { $0 = Loop(loop: loop, thread: Thread.current) }
      while true { _ = loop.run(mode: .default, before: .distantFuture) }
    }
    #expect(await found.wait { $0 != nil })
    let loop = try #require(found.value)
    try await check(loop.loop) { Thread.current === loop.thread }
  }

  @Test func optionsOfADispatchQueue() async throws {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "scheduler")
    let ran = Watched(0)
    let options = DispatchQueue.SchedulerOptions(qos: .utility, flags: .enforceQoS, group: group)
    queue.schedule(options: options) { ran.update { $0 += 1 } }
    queue.schedule(after: queue.now, tolerance: 0, options: options) { ran.update { $0 += 1 } }
    let done = AsyncEvent()
    group.notify(queue: queue) { done.signal() }
    #expect(await done.wait())
    #expect(ran.value == 2)
  }

  @Test func aSlowQueueDoesNotPileUpRepetitions() async throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let ran = Watched(0)
    let timer = queue.schedule(after: queue.now, interval: .milliseconds(1)) { ran.update { $0 += 1 } }
    try #require(try await eventually { queue.operationCount == 1 })
    let later = AsyncEvent()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { later.signal() }
    #expect(await later.wait())
    #expect(queue.operationCount == 1)
    timer.cancel()
    queue.isSuspended = false
    try #require(try await eventually { queue.operationCount == 0 })
    #expect(ran.value == 0)
  }

  @Test func operatorsTakeThem() async throws {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    subject.debounce(for: .milliseconds(30), scheduler: DispatchQueue(label: "debounce")).subscribe(recorder)
    for number in 0..<5 { subject.send(number) }
    #expect(await recorder.values(1))
    #expect(recorder.log.value.values == [4])
    let timeout = Recorder<Int, Never>()
    subject.timeout(.milliseconds(20), scheduler: DispatchQueue(label: "timeout")).subscribe(timeout)
    #expect(await timeout.end())
    let delayed = Recorder<Int, Never>()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    Just(1).delay(for: .milliseconds(10), scheduler: queue).subscribe(delayed)
    #expect(await delayed.end())
    #expect(delayed.log.value.values == [1])
  }
}
