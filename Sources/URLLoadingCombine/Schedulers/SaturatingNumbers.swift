/// Arithmetic that ends at the limits of `Int`, where that of the standard library ends the program: intervals come from anywhere.
extension Int {
  /// The next lower integer; the limit beyond the limits, and 0 for what is no number.
  init(saturating value: Double) {
    if let exact = Int(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      self = value.isNaN ? 0 : value < 0 ? .min : .max
    }
  }

  func saturatingSum(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  func saturatingDifference(_ other: Int) -> Int {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : .min) : difference
  }

  func saturatingProduct(_ other: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
