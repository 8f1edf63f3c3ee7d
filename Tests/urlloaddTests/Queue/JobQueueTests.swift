import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import URLLoadingBase
@testable import urlloadd

/// Which tasks are loaded when.
@Suite struct JobQueueTests {
  private final class Subject { var queue = JobQueue() }

  private let subject = Subject()
  private var queue: JobQueue {
    get { subject.queue }
    nonmutating set { subject.queue = newValue }
  }
  private let start = Date(timeIntervalSince1970: 1_000_000)

  private func add(
    _ identifier: Int, session: String = "s", origin: String = "http://a:", priority: Float = 0.5,
    timeout: Double? = nil, begin: Date? = nil
  ) -> Int {
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = identifier
    task.hints.priority = priority
    task.hints.earliestBegin = begin
    let job = queue.add(session: session, task, origin: origin, resourceTimeout: timeout)
    queue.resume(job.number, now: start)
    return job.number
  }

  private func startable(now: Date, excluding blocked: Set<String> = [], costs: Bool = false) -> [Job] {
    subject.queue.takeStartable(now: now, excluding: blocked, costs: costs)
  }

  private func expired(now: Date) -> Int? { subject.queue.takeExpired(now: now) }

  private func nextDate() -> Date? { subject.queue.nextDate() }

  private func fails(_ number: Int, isTransient: Bool, now: Date) -> JobQueue.Failure {
    subject.queue.failed(number, Self.failure, isTransient: isTransient, now: now)
  }

  private func stops(_ number: Int) -> Bool { subject.queue.suspend(number) }

  private static let failure = BackgroundFailure(URLError(.networkConnectionLost))

  @Test func priorityGoesBeforeOrder() {
    queue.limits.transfers = 2
    let numbers = [add(1), add(2, priority: 0.75), add(3)]
    #expect(startable(now: start).map(\.number) == [numbers[1], numbers[0]])
    #expect(startable(now: start).isEmpty)
    queue.end(numbers[1])
    #expect(startable(now: start).map(\.number) == [numbers[2]])
  }

  @Test func aSessionNeedsItsProgramAsLongAsOneOfItsTasksDoes() {
    let numbers = [add(1), add(2), add(3), add(4), add(1, session: "other")]
    _ = startable(now: start)
    #expect(!queue.hasAsking("s"))
    for number in numbers.prefix(4) { queue.asks(number) }
    queue.asks(numbers[0])
    queue.proceed(numbers[0], hasAsked: false, now: start)
    queue.end(numbers[1])
    queue.remove(numbers[2])
    #expect(queue.hasAsking("s"))
    _ = stops(numbers[3])
    #expect(!queue.hasAsking("s"))
    #expect(!queue.hasAsking("other"))
    var stored = Job(number: 9, session: "other", identifier: 9, kind: .download, origin: "o", resourceTimeout: nil)
    stored.state.phase = .asking
    queue.restore(stored)
    #expect(queue.hasAsking("other"))
  }

  @Test func oneHostDoesNotTakeAllPlaces() {
    queue.limits.transfers = 4
    queue.limits.transfersPerHost = 2
    for identifier in 1...4 { _ = add(identifier) }
    let other = add(5, origin: "http://b:")
    #expect(startable(now: start).map(\.identifier) == [1, 2, 5])
    #expect(queue.runningCount == 3)
    queue.end(other)
    #expect(queue.runningCount == 2)
  }

  @Test func blockedSessionsWait() {
    _ = add(1)
    #expect(startable(now: start, excluding: ["s"]).isEmpty)
    #expect(startable(now: start).count == 1)
  }

  @Test func blockedSessionsHoldNobodyElseBack() {
    queue.limits.transfers = 2
    let blocked = [add(1, session: "a", priority: 1), add(2, session: "a")]
    let free = add(1, session: "b")
    #expect(startable(now: start, excluding: ["a"]).map(\.number) == [free])
    queue.end(free)
    #expect(startable(now: start).map(\.number) == blocked)
  }

  @Test func aFailureThatMayPassIsTriedAgainLaterAndLater() {
    let number = add(1)
    var now = start
    for delay in [1.0, 2, 4, 8] {
      #expect(startable(now: now).count == 1)
      #expect(fails(number, isTransient: true, now: now) == .triesAgain)
      #expect(nextDate() == now.addingTimeInterval(delay))
      #expect(startable(now: now.addingTimeInterval(delay - 0.1)).isEmpty)
      now += delay
    }
  }

  @Test func progressResetsTheDelay() {
    let number = add(1)
    for _ in 0..<5 {
      _ = queue.takeStartable(now: .distantFuture)
      _ = queue.failed(number, Self.failure, isTransient: true, now: start)
    }
    _ = queue.takeStartable(now: .distantFuture)
    var progress = BackgroundProgress()
    progress.received = 1
    queue.progressed(number, progress)
    _ = queue.failed(number, Self.failure, isTransient: true, now: start)
    #expect(nextDate() == start.addingTimeInterval(1))
  }

  /// Each transfer reports at its end how far it is, also one that its server has refused.
  @Test(arguments: [0, 100]) func aReportWithoutProgressKeepsTheDelay(received: Int64) {
    let number = add(1)
    var progress = BackgroundProgress()
    progress.received = received
    var now = start
    for delay in [1.0, 2, 4, 8] {
      #expect(startable(now: now).count == 1)
      // What an earlier transfer has moved, which a resumed one begins with.
      if delay > 1 { queue.progressed(number, progress) } else { queue.continued(number, at: received) }
      #expect(fails(number, isTransient: true, now: now) == .triesAgain)
      #expect(nextDate() == now.addingTimeInterval(delay))
      now += delay
    }
  }

  @Test func aNetworkThatComesEndsTheWaiting() {
    let number = add(1)
    _ = queue.takeStartable(now: start)
    _ = queue.failed(number, Self.failure, isTransient: true, now: start)
    queue.retryNow(now: start)
    #expect(startable(now: start).map(\.number) == [number])
  }

  @Test func tasksThatWaitForAClassAreKnown() {
    let number = add(1)
    func fail(_ code: URLError.Code) {
      _ = queue.takeStartable(now: .distantFuture)
      _ = queue.failed(number, BackgroundFailure(URLError(code)), isTransient: true, now: start)
    }
    fail(.unsupportedURL)
    #expect(queue.jobs[number]?.lacksClass == true)
    // It is about to be tried.
    queue.retryNow(now: start)
    #expect(queue.jobs[number]?.lacksClass == false)
    fail(.networkConnectionLost)
    #expect(queue.jobs[number]?.lacksClass == false)
  }

  @Test func requestsThatSpareCostWaitWhileTheNetworkCosts() throws {
    let numbers = [add(1), add(2)]
    queue.setAvoidsMetered(true, of: numbers[0])
    let costly = subject.queue.takeStartable(now: start, costs: true)
    #expect(costly.map(\.number) == [numbers[1]])
    // A service that is started again knows it as well.
    var job = try #require(queue.jobs[numbers[0]])
    job.state = try #require(Job.State(compact: job.state.compactData))
    var next = JobQueue()
    next.restore(job)
    #expect(next.avoidingMetered == [numbers[0]])
    #expect(startable(now: start).map(\.number) == [numbers[0]])
    for number in numbers { queue.end(number) }
    #expect(queue.avoidingMetered.isEmpty)
  }

  /// Seconds are counted by a clock that nobody sets, and dates are the wall's.
  @Test func theWallsClockMovesDatesAlone() {
    let dated = add(1, begin: start + 1000)
    let failed = add(2)
    _ = startable(now: start)
    #expect(fails(failed, isTransient: true, now: start) == .triesAgain)
    #expect(queue.waitsForDates)
    subject.queue.wallClockIs(ahead: -86_400, now: start)
    #expect(startable(now: start + 2).map(\.number) == [failed])
    #expect(startable(now: start + 1001).isEmpty)
    subject.queue.wallClockIs(ahead: 990, now: start + 5)
    #expect(startable(now: start + 9).isEmpty)
    #expect(startable(now: start + 11).map(\.number) == [dated])
    #expect(!queue.waitsForDates)
  }

  /// The wall's clock was set back while no service ran.
  @Test func whatAnEarlierServiceHasLeftInTheFutureIsNow() throws {
    let number = add(1, timeout: 100)
    _ = startable(now: start)
    _ = fails(number, isTransient: true, now: start)
    let job = try #require(queue.jobs[number])
    let back = start - 86_400
    let clamped = job.clamped(to: back)
    #expect(clamped.state.nextTry == back && clamped.state.resumed == back && clamped.deadline == back + 100)
    #expect(job.clamped(to: start) == job)
    var session = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "s", program: "/bin/true"), launches: 1)
    session.nextLaunch = start
    #expect(session.clamped(to: back).nextLaunch == back && session.clamped(to: start - 30) == session)
  }

  @Test func theServicesClockIsNeverSet() {
    let wall = Watched(start)
    let instant = Watched(MonotonicInstant(nanoseconds: 5))
    let clock = ServiceClock(wall: { wall.value }, instant: { instant.value })
    #expect(clock.now == start && clock.shift == 0)
    instant.update { $0 = MonotonicInstant(nanoseconds: 2_000_000_005) }
    wall.update { $0 = start - 86_398 }
    #expect(clock.now == start + 2 && clock.shift == -86_400)
  }

  /// What a task avoids decides whether it may begin, and not when.
  @Test func requestsThatSpareCostKeepTheirPlaceInTheOrder() {
    let priorities: [Float] = [0.25, 0.75, 0.5, 0.75, 0.5, 1]
    let numbers = priorities.enumerated().map { add($0.offset + 1, priority: $0.element) }
    for place in [0, 1, 4, 5] { queue.setAvoidsMetered(true, of: numbers[place]) }
    let costly = startable(now: start, costs: true)
    #expect(costly.map(\.identifier) == [4, 3])
    for job in costly { queue.stopped(job.number, now: start) }
    #expect(startable(now: start).map(\.identifier) == [6, 2, 4, 3, 5, 1])
  }

  @Test func aRequestThatAvoidsMeteredNoLongerMayBegin() {
    queue.limits.transfers = 1
    let numbers = [add(1), add(2), add(3, begin: start.addingTimeInterval(10))]
    for number in numbers { queue.setAvoidsMetered(true, of: number) }
    #expect(startable(now: start, costs: true).isEmpty)
    // One that is ready, and one whose date has not come.
    for number in numbers.dropFirst() { queue.setAvoidsMetered(false, of: number) }
    #expect(startable(now: start, costs: true).map(\.number) == [numbers[1]])
    queue.end(numbers[1])
    #expect(startable(now: start, costs: true).isEmpty)
    #expect(startable(now: start.addingTimeInterval(10), costs: true).map(\.number) == [numbers[2]])
  }

  @Test func whatCannotPassEnds() {
    let number = add(1)
    _ = queue.takeStartable(now: start)
    #expect(fails(number, isTransient: false, now: start) == .ends)
  }

  @Test func datesAreWaitedFor() {
    let number = add(1, begin: start.addingTimeInterval(10))
    #expect(startable(now: start.addingTimeInterval(9)).isEmpty)
    #expect(nextDate() == start.addingTimeInterval(10))
    #expect(startable(now: start.addingTimeInterval(10)).map(\.number) == [number])
  }

  @Test func theResourceTimeoutPassesWhateverTheTaskDoes() {
    let number = add(1, timeout: 5)
    _ = queue.suspend(number)
    #expect(expired(now: start.addingTimeInterval(4)) == nil)
    #expect(expired(now: start.addingTimeInterval(5)) == number)
    #expect(expired(now: start.addingTimeInterval(6)) == nil)
  }

  @Test func suspendedTasksHaveNoPlace() {
    queue.limits.transfers = 1
    let first = add(1)
    let second = add(2)
    _ = queue.takeStartable(now: start)
    #expect(stops(first))
    #expect(startable(now: start).map(\.number) == [second])
    #expect(!stops(first))
    queue.resume(first, now: start)
    queue.end(second)
    #expect(startable(now: start).map(\.number) == [first])
  }

  @Test func whatRanWhenTheServiceWasKilledRunsAgain() {
    let number = add(1, timeout: 100)
    _ = queue.takeStartable(now: start)
    var next = JobQueue()
    for job in queue.jobs.values { next.restore(job) }
    let (started, expired) = (next.takeStartable(now: start), next.takeExpired(now: start.addingTimeInterval(100)))
    #expect(started.map(\.number) == [number])
    #expect(expired == number)
  }

  @Test func endsKeepTheirOrderOverRestarts() {
    let numbers = [add(1), add(2)]
    queue.end(numbers[1])
    var next = JobQueue()
    for job in queue.jobs.values { next.restore(job) }
    next.end(numbers[0])
    let orders = numbers.compactMap { next.jobs[$0]?.state.endOrder }
    #expect(orders == [2, 1])
  }

  @Test func everyChangeIsNoted() {
    let number = add(1)
    for change in [
      { _ = $0.suspend(number) }, { $0.resume(number, now: .distantPast) },
      { $0.setAvoidsMetered(true, of: number) }, { $0.asks(number) },
      { $0.proceed(number, hasAsked: true, now: .distantPast) }, { $0.end(number) },
      { $0.tookFile(number) }, { $0.remove(number) },
    ] as [(inout JobQueue) -> Void] {
      queue.changed = []
      change(&subject.queue)
      #expect(queue.changed == [number])
    }
    #expect(queue.jobs.isEmpty)
  }

  /// A commit for each start would be too expensive, and a restart begins again what ran and what waited.
  @Test func aStartIsNotNoted() {
    let number = add(1)
    subject.queue.resume(number, now: .distantPast)
    subject.queue.changed = []
    #expect(subject.queue.takeStartable(now: .distantFuture).map(\.number) == [number])
    #expect(queue.changed.isEmpty)
  }

  @Test func anyOrderOfEventsKeepsTheCounts() {
    var random = SeededGenerator(seed: 30)
    queue.limits.transfers = 3
    queue.limits.transfersPerHost = 2
    for identifier in 1...20 {
      _ = add(identifier, origin: "http://\(identifier % 4):", priority: Float(identifier % 3) / 2, timeout: 50)
    }
    for step in 0..<5000 {
      let number = Int.random(in: 1...20, using: &random)
      let now = start.addingTimeInterval(Double(step) / 100)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: queue.resume(number, now: now)
      case 1: _ = queue.suspend(number)
      case 2: _ = queue.failed(number, Self.failure, isTransient: true, now: now)
      case 3: queue.asks(number)
      case 4: queue.proceed(number, hasAsked: true, now: now)
      case 5: queue.retryNow(now: now)
      case 6: queue.stopped(number, until: now + 1, now: now)
      case 7: queue.setHints(BackgroundTaskHints(), of: number, now: now)
      case 8: queue.setAvoidsMetered(Bool.random(using: &random), of: number)
      default: _ = queue.takeStartable(now: now, costs: Bool.random(using: &random))
      }
      let running = queue.jobs.values.filter { $0.state.phase == .running }
      #expect(running.count == queue.runningCount)
      #expect(running.count <= 3)
      #expect(Dictionary(grouping: running, by: \.origin).values.allSatisfy { $0.count <= 2 })
    }
    for number in 1...20 { queue.remove(number) }
    #expect(queue.runningCount == 0)
    #expect(nextDate() == nil)
  }
}
