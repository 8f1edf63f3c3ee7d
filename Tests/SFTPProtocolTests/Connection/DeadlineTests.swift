import Testing

@testable import SFTPProtocol

@Suite struct DeadlineTests {
  @Test func standsStill() {
    var deadline = Deadline(100)
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
    var deadline = Deadline(.max)
    deadline.runs(true, now: 5)
    #expect(deadline.time == .max)
    #expect(MonotonicClock.nanoseconds(.seconds(Int64.max)) > 1 << 60)
    #expect(MonotonicClock.nanoseconds(.seconds(-1)) == 0)
    #expect(MonotonicClock.nanoseconds(.milliseconds(1500)) == 1_500_000_000)
  }

  @Test func asksASilentServer() {
    let second: UInt64 = 1_000_000_000
    var keepAlive = KeepAlive(interval: .seconds(1), limit: 2, now: 0)
    #expect(keepAlive.check(second / 2, lastReceived: 0, isReading: true) == .nothing)
    #expect(keepAlive.check(second, lastReceived: second / 2, isReading: true) == .nothing)
    #expect(keepAlive.nextTime == second + second / 2)
    #expect(keepAlive.check(2 * second, lastReceived: second / 2, isReading: true) == .ask)
    #expect(keepAlive.check(3 * second, lastReceived: second / 2, isReading: true) == .ask)
    #expect(keepAlive.check(4 * second, lastReceived: second / 2, isReading: true) == .giveUp)
    // An answer begins it anew; so does a time in which answers cannot be seen.
    #expect(keepAlive.check(4 * second, lastReceived: 4 * second - 1, isReading: true) == .nothing)
    #expect(keepAlive.check(6 * second, lastReceived: 4 * second, isReading: true) == .ask)
    #expect(keepAlive.check(9 * second, lastReceived: 4 * second, isReading: false) == .nothing)
    #expect(keepAlive.check(10 * second, lastReceived: 4 * second, isReading: true) == .ask)
  }

  /// An answer at once, and then silence for as long as the interval.
  @Test func aQuickAnswerIsOne() {
    let second: UInt64 = 1_000_000_000
    var keepAlive = KeepAlive(interval: .seconds(1), limit: 1, now: 0)
    for turn in 1...10 {
      let now = UInt64(turn) * (second + 5)
      #expect(keepAlive.check(now, lastReceived: turn == 1 ? 0 : now - second - 1, isReading: true) == .ask)
    }
  }
}
