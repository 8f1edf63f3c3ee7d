import Testing
import URLLoadingBase

@testable import SFTPProtocol

@Suite struct DeadlineTests {
  @Test func standsStill() {
    var deadline = Deadline(.nanoseconds(100))
    #expect(deadline.time == nil)
    deadline.runs(true, now: 1000)
    #expect(deadline.time == 1100)
    deadline.runs(true, now: 1050)
    #expect(deadline.time == 1100)
    deadline.runs(false, now: 1060)
    #expect(!deadline.isPast(9000))
    deadline.runs(true, now: 9000)
    #expect(deadline.time == 9040)
    #expect(!deadline.isPast(9039))
    #expect(deadline.isPast(9040))
    deadline.runs(false, now: 20_000)
    deadline.runs(true, now: 30_000)
    #expect(deadline.isPast(30_000))
  }

  @Test func doesNotOverflow() {
    var deadline = Deadline(.seconds(Int64.max))
    deadline.runs(true, now: 5)
    #expect(deadline.time == MonotonicInstant(nanoseconds: .max))
    deadline.runs(false, now: 10)
    #expect(!deadline.isPast(MonotonicInstant(nanoseconds: .max)))
    var none = Deadline(.seconds(-1))
    none.runs(true, now: 5)
    #expect(none.isPast(5))
  }

  /// A point in time, in seconds.
  private func at(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds * 1e9)) }

  @Test func asksASilentServer() {
    var keepAlive = KeepAlive(interval: .seconds(1), limit: 2, now: 0)
    #expect(keepAlive.check(at(0.5), lastReceived: 0, isReading: true) == .nothing)
    #expect(keepAlive.check(at(1), lastReceived: at(0.5), isReading: true) == .nothing)
    #expect(keepAlive.nextTime == at(1.5))
    #expect(keepAlive.check(at(2), lastReceived: at(0.5), isReading: true) == .ask)
    #expect(keepAlive.check(at(3), lastReceived: at(0.5), isReading: true) == .ask)
    #expect(keepAlive.check(at(4), lastReceived: at(0.5), isReading: true) == .giveUp)
    // An answer begins it anew; so does a time in which answers cannot be seen.
    #expect(keepAlive.check(at(4), lastReceived: at(3.9), isReading: true) == .nothing)
    #expect(keepAlive.check(at(6), lastReceived: at(4), isReading: true) == .ask)
    #expect(keepAlive.check(at(9), lastReceived: at(4), isReading: false) == .nothing)
    #expect(keepAlive.check(at(10), lastReceived: at(4), isReading: true) == .ask)
  }

  /// An answer at once, and then silence for as long as the interval.
  @Test func aQuickAnswerIsOne() {
    var keepAlive = KeepAlive(interval: .seconds(1), limit: 1, now: 0)
    for turn in 1...10 {
      let now = at(1.1 * Double(turn))
      let received = turn == 1 ? 0 : now.advanced(by: .nanoseconds(-1_000_000_001))
      #expect(keepAlive.check(now, lastReceived: received, isReading: true) == .ask)
    }
  }
}
