import Foundation
internal import URLLoadingBase

/// The time that the service goes by: the wall's when it began, and from then on that of a clock which nobody sets. What is to happen after
/// some seconds happens then, whatever becomes of the wall's clock meanwhile.
struct ServiceClock: Sendable {
  static let shared = ServiceClock()

  private let wall: @Sendable () -> Date
  private let instant: @Sendable () -> MonotonicInstant
  private let start: (date: Date, instant: MonotonicInstant)

  init(
    wall: @escaping @Sendable () -> Date = { Date() },
    instant: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) {
    self.wall = wall
    self.instant = instant
    start = (wall(), instant())
  }

  var now: Date { start.date.addingTimeInterval(start.instant.seconds(to: instant())) }

  /// How many seconds the wall's clock has been set ahead since, negative for back.
  var shift: TimeInterval { wall().timeIntervalSince(now) }
}
