import Glibc

/// A point in time that no change of the clock moves, and that goes on while the machine sleeps.
///
/// What `ContinuousClock.Instant` is, but of a size that the compiler knows: every event of a load carries one.
package struct MonotonicInstant: Comparable, Sendable {
  /// Since the machine was started.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  package func advanced(by duration: Duration) -> MonotonicInstant {
    advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  /// Stays within what can be told.
  package func advanced(byNanoseconds count: Int64) -> MonotonicInstant {
    let (sum, overflows) = nanoseconds.addingReportingOverflow(count)
    return MonotonicInstant(nanoseconds: overflows ? (count < 0 ? .min : .max) : sum)
  }

  package func duration(to other: MonotonicInstant) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  package static func < (first: MonotonicInstant, second: MonotonicInstant) -> Bool {
    first.nanoseconds < second.nanoseconds
  }
}

extension Duration {
  /// In nanoseconds, or as near as these can say it.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }
}
