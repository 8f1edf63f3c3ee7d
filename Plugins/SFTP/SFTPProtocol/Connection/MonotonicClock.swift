import Glibc

/// Time that only goes forward, in nanoseconds.
enum MonotonicClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Whole nanoseconds of a duration, at most a century.
  static func nanoseconds(_ duration: Duration) -> UInt64 {
    let parts = duration.components
    if parts.seconds < 0 || parts.attoseconds < 0 { return 0 }
    if parts.seconds > 3_000_000_000 { return 3_000_000_000_000_000_000 }
    return UInt64(parts.seconds) * 1_000_000_000 + UInt64(parts.attoseconds / 1_000_000_000)
  }
}
