import URLLoadingBase

/// Points in time as nanoseconds, for what decides by given times.
extension MonotonicInstant: ExpressibleByIntegerLiteral {
  /// Nanoseconds.
  public init(integerLiteral value: Int64) {
    self.init(nanoseconds: value)
  }
}
