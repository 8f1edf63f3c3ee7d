internal import URLLoadingBase

/// An allowance of time that can stand still.
struct Deadline {
  private var left: Duration
  private var runsSince: MonotonicInstant?

  /// Makes a deadline that does not run yet.
  init(_ allowance: Duration) {
    left = allowance
  }

  /// When the allowance is used up; nil while it stands still.
  var time: MonotonicInstant? { runsSince?.advanced(by: left) }

  func isPast(_ now: MonotonicInstant) -> Bool { time.map { $0 <= now } ?? false }

  mutating func runs(_ runs: Bool, now: MonotonicInstant = .now) {
    if let since = runsSince, !runs {
      left -= since.duration(to: now)
      runsSince = nil
    } else if runsSince == nil, runs {
      runsSince = now
    }
  }
}
