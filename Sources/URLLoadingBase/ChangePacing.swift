/// How soon after a change of the network those who wait are told. Changes come in bursts, a link that comes up is eight messages, and
/// on some machines, such as routers, without end.
struct ChangePacing {
  /// What a burst is given to be over.
  static let settling = Duration.milliseconds(50)
  /// The time between two tellings where changes do not end.
  static let interval = Duration.seconds(5)
  /// So many come without that time between them.
  static let burst = 32

  /// Each telling uses up an interval. Where this is a burst ahead of the time, the next has to wait.
  private var usedUp: MonotonicInstant?

  /// When to tell of a change that comes now.
  func due(at now: MonotonicInstant) -> MonotonicInstant {
    let settled = now.advanced(by: Self.settling)
    return usedUp.map { max(settled, $0.advanced(by: Self.interval * -Self.burst)) } ?? settled
  }

  /// Those who wait are told.
  mutating func told(at now: MonotonicInstant) {
    usedUp = max(usedUp ?? now, now).advanced(by: Self.interval)
  }
}
