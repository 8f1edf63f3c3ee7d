extension UInt8 {
  @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }

  /// HTTP whitespace (Fetch): tab, line feed, carriage return, space.
  @inlinable package var isHTTPWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  /// A character of a token68, RFC 9110 11.2, but for the trailing "=".
  var isToken68Character: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
    default: false
    }
  }
}

extension Int64 {
  /// A number of ASCII digits only: no sign, no spaces, nil when it does not fit.
  @inlinable
  package init?(asciiDigits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    self.init(String(text))
  }
}
