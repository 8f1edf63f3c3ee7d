/// A `Strict-Transport-Security` field (RFC 6797, section 6.1).
struct StrictTransportSecurity: Equatable {
  /// How long the policy holds, in seconds; 0 ends it.
  var maxAge: Int64
  var includesSubdomains = false

  /// Longer ages count as this one: a hundred years, in seconds.
  static let longestAge: Int64 = 100 * 366 * 86_400

  init(maxAge: Int64, includesSubdomains: Bool = false) {
    self.maxAge = maxAge
    self.includesSubdomains = includesSubdomains
  }

  /// Reads a field's value; nil where the field is to be ignored: its syntax is wrong, a directive stands in it twice, or `max-age` is
  /// missing. Directives with other names mean nothing.
  init?(_ value: String) {
    var scanner = FieldScanner(value)
    var names: Set<String> = []
    var maxAge: Int64?
    while true {
      scanner.skipWhitespace()
      if let name = scanner.token()?.lowercased() {
        guard names.insert(name).inserted else { return nil }
        scanner.skipWhitespace()
        var value: String?
        if scanner.skip("=") {
          scanner.skipWhitespace()
          guard let given = scanner.token() ?? scanner.wholeQuotedString() else { return nil }
          value = given
          scanner.skipWhitespace()
        }
        switch name {
        case "max-age":
          guard let seconds = value.flatMap(Self.seconds) else { return nil }
          maxAge = seconds
        case "includesubdomains":
          // Section 6.1.2: it has no value.
          guard value == nil else { return nil }
        default: break
        }
      }
      if scanner.isAtEnd { break }
      guard scanner.skip(";") else { return nil }
    }
    guard let maxAge else { return nil }
    self.init(maxAge: maxAge, includesSubdomains: names.contains("includesubdomains"))
  }

  /// Digits alone (section 6.1.1); more of them than a number has room for are a long time.
  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return min(Int64(text) ?? longestAge, longestAge)
  }
}
