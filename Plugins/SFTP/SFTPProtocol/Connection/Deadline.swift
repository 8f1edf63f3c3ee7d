/// An allowance of time that can stand still.
struct Deadline {
  private var left: UInt64
  private var runsSince: UInt64?

  /// - Parameter allowance: in nanoseconds. It does not run yet.
  init(_ allowance: UInt64) {
    left = allowance
  }

  /// When it is used up; nil while it stands still.
  var time: UInt64? { runsSince.map { $0.addingReportingOverflow(left).overflow ? .max : $0 + left } }

  func isPast(_ now: UInt64) -> Bool { time.map { $0 <= now } ?? false }

  mutating func runs(_ runs: Bool, now: UInt64 = MonotonicClock.now()) {
    if let since = runsSince, !runs {
      let used = now > since ? now - since : 0
      left = left > used ? left - used : 0
      runsSince = nil
    } else if runsSince == nil, runs {
      runsSince = now
    }
  }
}
