import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// How long transfers are held back.
@Suite struct RateLimitTests {
  private let start = Date(timeIntervalSince1970: 1000)

  /// Changes at seconds from the start.
  private func changes(_ rate: inout RateLimit, _ seconds: Double...) -> [Bool?] {
    var changes: [Bool?] = []
    for second in seconds { changes.append(rate.change(now: start.addingTimeInterval(second))) }
    return changes
  }

  private func limited() -> RateLimit {
    var rate = RateLimit()
    rate.limit(to: 1000, now: start)
    return rate
  }

  @Test func whatKeepsToTheRateIsNotHeldBack() {
    var rate = limited()
    for tenth in 1...100 {
      let now = start.addingTimeInterval(Double(tenth) / 10)
      rate.moved(100, now: now)
      let change = rate.change(now: now)
      #expect(change == nil, "\(tenth)")
    }
  }

  /// What was on its way when the hold began is reported after its beginning, seconds later where the service had no time.
  @Test func reportsDuringAHoldMakeItLonger() {
    var rate = limited()
    rate.moved(5000, now: start)
    let first = changes(&rate, 0)
    rate.moved(100, now: start.addingTimeInterval(2))
    let rest = changes(&rate, 5, 5.2)
    #expect(first == [true])
    #expect(rest == [nil, false])
  }

  @Test func aHigherRatePaysSooner() {
    var rate = limited()
    rate.moved(10_000, now: start)
    let first = changes(&rate, 0)
    rate.limit(to: 10_000, now: start)
    let rest = changes(&rate, 0.9, 1.1)
    #expect(first == [true])
    #expect(rest == [nil, false])
  }

  @Test func withoutALimitNothingIsOwed() {
    var rate = limited()
    rate.moved(10_000, now: start)
    let first = changes(&rate, 0)
    rate.limit(to: nil, now: start)
    let rest = changes(&rate, 0)
    #expect(first == [true])
    #expect(rest == [false] && !rate.holds)
    rate.moved(1 << 40, now: start)
    #expect(!rate.holds)
  }

  @Test func whatAnEarlierTransferMovedIsNotCountedAgain() {
    var queue = JobQueue()
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = 1
    let number = queue.add(session: "s", task, origin: "o", resourceTimeout: nil).number
    queue.resume(number, now: start)
    _ = queue.takeStartable(now: start)
    queue.continued(number, at: 700)
    #expect(queue.jobs[number]?.state.progress.received == 700)
    // The server may go back a little.
    queue.continued(number, at: 500)
    #expect(queue.jobs[number]?.state.progress.received == 700)
  }

  /// A loop that waits for the next date does not find one that has passed, though nothing begins.
  @Test func whatIsDueIsNoDateAnyMore() {
    var queue = JobQueue()
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = 1
    task.hints.earliestBegin = start.addingTimeInterval(1)
    let number = queue.add(session: "s", task, origin: "o", resourceTimeout: nil).number
    queue.resume(number, now: start)
    queue.admit(now: start.addingTimeInterval(2))
    let date = queue.nextDate()
    #expect(date == nil)
    let started = queue.takeStartable(now: start.addingTimeInterval(2))
    #expect(started.map(\.number) == [number])
  }
}
