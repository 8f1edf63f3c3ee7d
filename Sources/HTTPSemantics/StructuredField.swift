/// The values of structured fields (RFC 9651), as far as fields of uploads have them.
package enum StructuredField {
  /// A bare item. What no field here means anything by is `other`.
  package enum Item: Equatable {
    case integer(Int64)
    case boolean(Bool)
    /// The Base64 text of a byte sequence.
    case bytes(String)
    case other
  }

  /// The item that a field's lines consist of, without its parameters; nil where they are not one.
  static func item(_ lines: [String]) -> Item? {
    guard lines.count == 1 else { return nil }
    var scanner = FieldScanner(lines[0])
    scanner.skipWhitespace()
    guard let item = bareItem(&scanner), skipParameters(&scanner) else { return nil }
    scanner.skipWhitespace()
    return scanner.isAtEnd ? item : nil
  }

  /// A field that is a non-negative integer; nil for any other.
  package static func count(_ lines: [String]) -> Int64? {
    guard case .integer(let value) = item(lines), value >= 0 else { return nil }
    return value
  }

  /// A field that is a boolean; nil for any other.
  package static func boolean(_ lines: [String]) -> Bool? {
    guard case .boolean(let value) = item(lines) else { return nil }
    return value
  }

  /// The members of a dictionary, which may be spread over lines; nil where they are none. The last of equal keys counts.
  package static func dictionary(_ lines: [String]) -> [String: Item]? {
    var scanner = FieldScanner(lines.joined(separator: ", "))
    var members: [String: Item] = [:]
    scanner.skipWhitespace()
    while !scanner.isAtEnd {
      guard let key = key(&scanner) else { return nil }
      var value = Item.boolean(true)
      if scanner.skip("=") {
        guard let given = scanner.peek == UInt8(ascii: "(") ? innerList(&scanner) : bareItem(&scanner) else {
          return nil
        }
        value = given
      }
      members[key] = value
      guard skipParameters(&scanner) else { return nil }
      scanner.skipWhitespace()
      if scanner.isAtEnd { return members }
      guard scanner.skip(",") else { return nil }
      scanner.skipWhitespace()
      // A comma at the end is an error (RFC 9651, section 4.2.2).
      if scanner.isAtEnd { return nil }
    }
    return members
  }

  private static func key(_ scanner: inout FieldScanner) -> String? {
    guard let first = scanner.peek, isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
    return scanner.take { isLowercase($0) || isDigit($0) || "_-.*".utf8.contains($0) }
  }

  /// - Returns: false where they are damaged.
  private static func skipParameters(_ scanner: inout FieldScanner) -> Bool {
    while scanner.skip(";") {
      while scanner.skip(" ") {}
      guard key(&scanner) != nil else { return false }
      if scanner.skip("="), bareItem(&scanner) == nil { return false }
    }
    return true
  }

  private static func innerList(_ scanner: inout FieldScanner) -> Item? {
    guard scanner.skip("(") else { return nil }
    while true {
      while scanner.skip(" ") {}
      if scanner.skip(")") { return .other }
      guard bareItem(&scanner) != nil, skipParameters(&scanner) else { return nil }
      guard scanner.peek == UInt8(ascii: " ") || scanner.peek == UInt8(ascii: ")") else { return nil }
    }
  }

  private static func bareItem(_ scanner: inout FieldScanner) -> Item? {
    guard let first = scanner.peek else { return nil }
    switch first {
    case UInt8(ascii: "?"):
      _ = scanner.skip("?")
      if scanner.skip("1") { return .boolean(true) }
      return scanner.skip("0") ? .boolean(false) : nil
    case UInt8(ascii: "\""): return scanner.wholeQuotedString() == nil ? nil : .other
    case UInt8(ascii: ":"):
      _ = scanner.skip(":")
      let text = scanner.take { $0 != UInt8(ascii: ":") }
      return scanner.skip(":") ? .bytes(text ?? "") : nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(&scanner)
    case _ where isLowercase(first | 0x20) || first == UInt8(ascii: "*"):
      _ = scanner.take { $0 > 0x20 && $0 < 0x7F && !";,()\"=".utf8.contains($0) }
      return .other
    default: return nil
    }
  }

  /// An integer has 15 digits at most; a decimal is `other`.
  private static func number(_ scanner: inout FieldScanner) -> Item? {
    let isNegative = scanner.skip("-")
    guard let digits = scanner.take(while: isDigit), digits.utf8.count <= 15, let value = Int64(digits) else {
      return nil
    }
    if scanner.skip(".") { return scanner.take(while: isDigit) == nil ? nil : .other }
    return .integer(isNegative ? -value : value)
  }

  private static func isLowercase(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
