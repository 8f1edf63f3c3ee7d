import Foundation
import OpenCombine

/// A moment of the clock on the wall: the time of the schedulers `OperationQueue` and `RunLoop`.
public struct SchedulerDate: Strideable, Codable, Hashable, Sendable {
  /// The moment.
  public var date: Date

  /// - Parameter date: the moment.
  public init(_ date: Date) {
    self.date = date
  }

  /// The interval from this moment to another; negative to an earlier one.
  public func distance(to other: SchedulerDate) -> Stride {
    Stride(other.date.timeIntervalSince(date))
  }

  /// The moment that is an interval later.
  public func advanced(by n: Stride) -> SchedulerDate {
    SchedulerDate(date.addingTimeInterval(n.timeInterval))
  }

  /// Seconds from now, 0 for what has passed.
  var delay: TimeInterval { max(date.timeIntervalSinceNow, 0) }
}
