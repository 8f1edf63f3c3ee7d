import Glibc

/// A point in time of a clock that is never set, and that runs while the machine sleeps.
///
/// What `ContinuousClock.Instant` is, but of a size that the compiler knows: every event of a load carries one.
// Inlinable, or what compares two calls both operators through a table: they are compared with every turn of the loop and every event.
@frozen
@usableFromInline
package struct MonotonicInstant: Comparable, Sendable {
  /// Since the machine was started.
  @usableFromInline package var nanoseconds: Int64

  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// No deadline.
  @inlinable package static var distantFuture: MonotonicInstant { MonotonicInstant(nanoseconds: .max) }

  package static var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  package func advanced(by duration: Duration) -> MonotonicInstant {
    advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  /// Saturates at the ends of the range.
  @inlinable
  package func advanced(byNanoseconds count: Int64) -> MonotonicInstant {
    let (sum, overflows) = nanoseconds.addingReportingOverflow(count)
    return MonotonicInstant(nanoseconds: overflows ? (count < 0 ? .min : .max) : sum)
  }

  package func duration(to other: MonotonicInstant) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  package func seconds(to other: MonotonicInstant) -> Double { Double(other.nanoseconds &- nanoseconds) * 1e-9 }

  @inlinable @inline(__always)
  package static func < (first: MonotonicInstant, second: MonotonicInstant) -> Bool {
    first.nanoseconds < second.nanoseconds
  }

  @inlinable @inline(__always)
  package static func <= (first: MonotonicInstant, second: MonotonicInstant) -> Bool {
    first.nanoseconds <= second.nanoseconds
  }

  @inlinable @inline(__always)
  package static func == (first: MonotonicInstant, second: MonotonicInstant) -> Bool {
    first.nanoseconds == second.nanoseconds
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
