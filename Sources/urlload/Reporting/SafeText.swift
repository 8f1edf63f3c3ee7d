import URLLoading

/// Untrusted text, made safe for a terminal.
enum SafeText {
  /// The text on one line, with control characters as escapes: `\n`, `\u{1b}`.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isHarmful(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isHarmful(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The text on one line. Control characters, with which a server could control the terminal, become `?`.
  static func line(_ text: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\r", "\t": result.append(" ")
      case _ where isHarmful(scalar): result.append("?")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Words for the middle of a sentence: without a full stop at their end.
  static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  /// A URL for a message: without passwords, and shortened to a line.
  static func url(_ url: URL) -> String { url.redactedDescription }

  /// The same for what was typed as a URL.
  static func url(_ text: String) -> String { URL.redactedDescription(of: text) }

  /// Text that may contain URLs: without their passwords.
  static func withoutPasswords(_ text: String) -> String { Redaction.text(text) }
}
