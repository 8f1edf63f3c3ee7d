import Foundation
import Testing
import URLLoadingCombine

/// The arithmetic of the schedulers' times, up to its limits.
@Suite(.timeLimit(.minutes(4))) struct SchedulerTimeTests {
  private typealias Interval = DispatchQueue.SchedulerTimeType.Stride

  @Test func unitsOfDispatchIntervals() {
    #expect(Interval.seconds(2).magnitude == 2_000_000_000)
    #expect(Interval.seconds(0.5) == .milliseconds(500))
    #expect(Interval.milliseconds(1) == .microseconds(1_000))
    #expect(Interval.microseconds(1) == .nanoseconds(1_000))
    #expect((2 as Interval) == .seconds(2) && (0.25 as Interval) == .milliseconds(250))
    #expect(Interval(exactly: 5) == .nanoseconds(5) && Interval(exactly: UInt64.max) == nil)
    #expect(Interval(.milliseconds(3)) == .milliseconds(3) && Interval(.never).magnitude == .max)
    #expect(Interval.milliseconds(3).timeInterval == .nanoseconds(3_000_000))
  }

  @Test func arithmeticOfDispatchIntervals() {
    #expect(Interval.milliseconds(1) + .milliseconds(2) == .milliseconds(3))
    #expect(Interval.milliseconds(1) - .milliseconds(2) == .milliseconds(-1))
    #expect(-Interval.milliseconds(1) == .milliseconds(-1))
    #expect(Interval.nanoseconds(3) * .nanoseconds(4) == .nanoseconds(12))
    var interval = Interval.milliseconds(1)
    interval += .milliseconds(4)
    interval -= .milliseconds(2)
    interval *= .nanoseconds(2)
    #expect(interval == .milliseconds(6))
    #expect(Interval.milliseconds(1) < .milliseconds(2))
  }

  @Test func nothingOverflows() {
    let (most, least) = (Interval.nanoseconds(.max), Interval.nanoseconds(.min))
    #expect(Interval.seconds(.max) == most && Interval.seconds(.min) == least)
    #expect(Interval.milliseconds(.max) == most && Interval.microseconds(.min) == least)
    #expect(Interval.seconds(Double.infinity) == most && Interval.seconds(-Double.infinity) == least)
    #expect(Interval.seconds(Double.nan) == .nanoseconds(0) && Interval.seconds(1e300) == most)
    #expect(most + most == most && least - most == least && most - least == most && least + least == least)
    #expect(most * most == most && most * least == least && least * least == most)
    #expect(-least == most)
  }

  @Test func momentsOfADispatchQueue() throws {
    typealias Moment = DispatchQueue.SchedulerTimeType
    let moment = Moment(DispatchTime(uptimeNanoseconds: 1_000))
    let later = moment.advanced(by: .nanoseconds(500))
    #expect(later.dispatchTime.uptimeNanoseconds == 1_500)
    #expect(moment.distance(to: later) == .nanoseconds(500) && later.distance(to: moment) == .nanoseconds(-500))
    #expect(moment < later && moment == Moment(DispatchTime(uptimeNanoseconds: 1_000)))
    #expect(Moment(.distantFuture) > later)
    #expect(moment.distance(to: Moment(.distantFuture)).magnitude > 0)
    #expect(later.advanced(by: .nanoseconds(.max)) > later)
    #expect(Set([moment, later, moment]).count == 2)
    let coded = try JSONDecoder().decode([Moment].self, from: JSONEncoder().encode([moment]))
    #expect(coded == [moment])
  }

  @Test func momentsOfTheClockOnTheWall() throws {
    typealias Moment = RunLoop.SchedulerTimeType
    let moment = Moment(Date(timeIntervalSinceReferenceDate: 10))
    let later = moment.advanced(by: .milliseconds(500))
    #expect(later.date.timeIntervalSinceReferenceDate == 10.5)
    #expect(moment.distance(to: later) == 0.5 && later.distance(to: moment) == -0.5)
    #expect(moment < later)
    #expect(Moment.Stride.seconds(2) == 2 && Moment.Stride.seconds(2.5) == 2.5)
    #expect(Moment.Stride.microseconds(1) == Moment.Stride.nanoseconds(1_000))
    #expect(Moment.Stride(exactly: 3) == 3)
    var interval: Moment.Stride = 2
    interval *= 3
    interval += 1
    interval -= 2
    #expect(interval.timeInterval == 5 && -interval == -5)
    #expect(try JSONDecoder().decode([Moment].self, from: JSONEncoder().encode([moment])) == [moment])
  }
}
