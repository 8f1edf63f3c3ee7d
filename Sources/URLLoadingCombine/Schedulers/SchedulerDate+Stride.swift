import Foundation
import OpenCombine

extension SchedulerDate {
  /// An interval, in seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Codable,
    Hashable, Sendable
  {
    /// Seconds.
    public typealias FloatLiteralType = TimeInterval
    /// Seconds.
    public typealias IntegerLiteralType = TimeInterval
    /// Seconds.
    public typealias Magnitude = TimeInterval

    /// The interval in seconds.
    public var magnitude: TimeInterval

    /// The interval in seconds.
    public var timeInterval: TimeInterval { magnitude }

    /// - Parameter timeInterval: seconds.
    public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }

    /// - Parameter value: seconds.
    public init(floatLiteral value: TimeInterval) { self.init(value) }

    /// - Parameter value: seconds.
    public init(integerLiteral value: TimeInterval) { self.init(value) }

    /// - Parameter source: seconds.
    /// - Returns: nil for what a `Double` does not have.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let seconds = TimeInterval(exactly: source) else { return nil }
      self.init(seconds)
    }

    /// Whether an interval is shorter.
    public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

    /// The product of seconds.
    public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude * rhs.magnitude) }

    /// The sum.
    public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude + rhs.magnitude) }

    /// The difference.
    public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude - rhs.magnitude) }

    /// Multiplies by seconds.
    public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

    /// Adds.
    public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

    /// Subtracts.
    public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

    /// An interval in seconds.
    public static func seconds(_ s: Int) -> Stride { Stride(TimeInterval(s)) }

    /// An interval in seconds.
    public static func seconds(_ s: Double) -> Stride { Stride(s) }

    /// An interval in milliseconds.
    public static func milliseconds(_ ms: Int) -> Stride { Stride(TimeInterval(ms) / 1e3) }

    /// An interval in microseconds.
    public static func microseconds(_ us: Int) -> Stride { Stride(TimeInterval(us) / 1e6) }

    /// An interval in nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Stride { Stride(TimeInterval(ns) / 1e9) }
  }
}
