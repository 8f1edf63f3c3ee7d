/// Seconds as the fields of caching count them (RFC 9111, section 1.2.2).
package enum DeltaSeconds {
  /// What stands for every number that is larger: 2^31, over 68 years. Sums of a few such numbers overflow nothing.
  @inlinable package static var infinity: Int64 { 2_147_483_648 }

  /// Nil for what has anything but digits.
  @inlinable
  package static func parse(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return min(Int64(asciiDigits: text) ?? infinity, infinity)
  }
}
