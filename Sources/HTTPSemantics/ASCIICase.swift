internal import URLLoadingBase

extension StringProtocol {
  /// Whether this begins with `prefix`, but for the case of ASCII letters.
  func hasPrefixIgnoringASCIICase(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count
      && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  var isASCIIDigit: Bool { self &- 0x30 < 10 }

  /// HTTP whitespace (Fetch): tab, line feed, carriage return, space.
  var isHTTPWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

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
  init?(asciiDigits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    self.init(String(text))
  }
}
