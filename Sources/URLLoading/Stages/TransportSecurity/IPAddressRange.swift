internal import URLLoadingHTTPSemantics

/// An IPv4 or IPv6 address, or a range of them in the notation of CIDR (RFC 4632, section 3.1; RFC 4291, section 2.3).
struct IPAddressRange: Equatable, Sendable {
  private let address: [UInt8]
  /// How many bits an address has in common with this one to be in the range.
  let prefixLength: Int

  /// Nil for what is neither.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = Self.bytes(of: String(first)) else { return nil }
    self.address = address
    guard parts.count == 2 else {
      prefixLength = address.count * 8
      return
    }
    guard let length = Int64(asciiDigits: parts[1]), length <= address.count * 8 else { return nil }
    prefixLength = Int(length)
  }

  /// Whether an address of the same version is in the range.
  func contains(_ other: [UInt8]) -> Bool {
    guard other.count == address.count else { return false }
    let (whole, rest) = (prefixLength / 8, prefixLength % 8)
    guard address.prefix(whole) == other.prefix(whole) else { return false }
    guard rest > 0 else { return true }
    return (address[whole] ^ other[whole]) >> (8 - rest) == 0
  }

  /// The bytes of an address in its usual notation, without the zone of a link-local one; nil for anything else.
  static func bytes(of host: String) -> [UInt8]? {
    var version4 = in_addr()
    if inet_pton(AF_INET, host, &version4) == 1 { return withUnsafeBytes(of: &version4) { Array($0) } }
    guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    let address = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    var version6 = in6_addr()
    guard inet_pton(AF_INET6, String(address), &version6) == 1 else { return nil }
    return withUnsafeBytes(of: &version6) { Array($0) }
  }
}
