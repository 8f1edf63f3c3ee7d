import URLLoading
internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

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
      case _ where !ForeignText.isShown(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text on one line. Control characters, with which a server could control the terminal, become `?`.
  static func line(_ text: some StringProtocol) -> String { ForeignText.line(text, blank: " ", substitute: "?") }

  /// Words for the middle of a sentence: without a full stop at their end.
  static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  /// A URL for a message: without passwords, and shortened to a line.
  static func url(_ url: URL) -> String { url.shownDescription }

  /// The same for what was typed as a URL.
  static func url(_ text: String) -> String { URL.shownDescription(of: text) }

  /// Text that may contain URLs: without their passwords.
  static func withoutPasswords(_ text: String) -> String { Redaction.text(text) }
}
