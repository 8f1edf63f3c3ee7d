import Dispatch
import OpenCombine

extension DispatchQueue.SchedulerTimeType {
  /// An interval of a dispatch queue's clock, in nanoseconds. What is beyond the limits of `Int` is the limit.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Codable,
    Hashable, Sendable
  {
    /// Seconds.
    public typealias FloatLiteralType = Double
    /// Seconds.
    public typealias IntegerLiteralType = Int
    /// Nanoseconds.
    public typealias Magnitude = Int

    /// The interval in nanoseconds.
    public var magnitude: Int

    /// The interval as Dispatch has it.
    public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

    private init(nanoseconds: Int) {
      magnitude = nanoseconds
    }

    /// An interval of Dispatch; `never` is the longest one.
    public init(_ timeInterval: DispatchTimeInterval) {
      switch timeInterval {
      case .seconds(let count): self = .seconds(count)
      case .milliseconds(let count): self = .milliseconds(count)
      case .microseconds(let count): self = .microseconds(count)
      case .nanoseconds(let count): self = .nanoseconds(count)
      case .never: self = .nanoseconds(.max)
      @unknown default: self = .nanoseconds(.max)
      }
    }

    /// - Parameter value: seconds.
    public init(floatLiteral value: Double) { self = .seconds(value) }

    /// - Parameter value: seconds.
    public init(integerLiteral value: Int) { self = .seconds(value) }

    /// - Parameter source: nanoseconds.
    /// - Returns: nil beyond the limits of `Int`.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let count = Int(exactly: source) else { return nil }
      self = .nanoseconds(count)
    }

    /// Whether an interval is shorter.
    public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

    /// The product of nanoseconds.
    public static func * (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.magnitude.saturatingProduct(rhs.magnitude))
    }

    /// The sum.
    public static func + (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.magnitude.saturatingSum(rhs.magnitude))
    }

    /// The difference.
    public static func - (lhs: Stride, rhs: Stride) -> Stride {
      Stride(nanoseconds: lhs.magnitude.saturatingDifference(rhs.magnitude))
    }

    /// Multiplies by nanoseconds.
    public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

    /// Adds.
    public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

    /// Subtracts.
    public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

    /// An interval in seconds.
    public static func seconds(_ s: Double) -> Stride { Stride(nanoseconds: Int(saturating: s * 1e9)) }

    /// An interval in seconds.
    public static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: s.saturatingProduct(1_000_000_000)) }

    /// An interval in milliseconds.
    public static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: ms.saturatingProduct(1_000_000)) }

    /// An interval in microseconds.
    public static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: us.saturatingProduct(1_000)) }

    /// An interval in nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }
  }
}
