import Dispatch
import OpenCombine

extension DispatchQueue {
  /// A moment of a dispatch queue's clock, which stands while the machine sleeps.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The moment.
    public var dispatchTime: DispatchTime

    /// - Parameter time: the moment.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// As nanoseconds since the machine was started: of use on that machine alone, until it is started anew.
    public init(from decoder: any Decoder) throws {
      let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
      dispatchTime = DispatchTime(uptimeNanoseconds: nanoseconds)
    }

    /// See ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(dispatchTime.uptimeNanoseconds)
    }

    /// The interval from this moment to another; negative to an earlier one.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let (from, to) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return to < from ? .nanoseconds(-Int(clamping: from - to)) : .nanoseconds(Int(clamping: to - from))
    }

    /// The moment that is an interval later.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(dispatchTime + n.timeInterval)
    }

    /// Whether this moment is before another.
    public static func < (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
      lhs.dispatchTime < rhs.dispatchTime
    }

    /// Whether both are the same moment.
    public static func == (lhs: SchedulerTimeType, rhs: SchedulerTimeType) -> Bool {
      lhs.dispatchTime == rhs.dispatchTime
    }

    /// Hashes the moment.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(dispatchTime.rawValue)
    }
  }
}
