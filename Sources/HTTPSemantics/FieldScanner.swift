/// Reads the pieces of a field value (RFC 9110 5.6) from left to right. What is not there gives nil and leaves the position where
/// it was.
package struct FieldScanner {
  private let bytes: [UInt8]
  var position = 0

  package init(_ text: String) {
    self.init(Array(text.utf8))
  }

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { position >= bytes.count }

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  package mutating func skipWhitespace() {
    while peek?.isHTTPWhitespace == true { position += 1 }
  }

  /// Skips one byte if it is the given one.
  package mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == character.value else { return false }
    position += 1
    return true
  }

  /// A token, RFC 9110 5.6.2.
  package mutating func token() -> String? {
    take(while: \.isTokenCharacter)
  }

  /// A token68, RFC 9110 11.2.
  mutating func token68() -> String? {
    let start = position
    guard take(while: \.isToken68Character) != nil else { return nil }
    while peek == UInt8(ascii: "=") { position += 1 }
    return text(from: start)
  }

  /// A quoted string without its quotes and escapes, RFC 9110 5.6.4. A missing closing quote is forgiven.
  package mutating func quotedString() -> String? {
    guard skip("\"") else { return nil }
    var content: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let escaped = peek {
        content.append(escaped)
        position += 1
      } else {
        content.append(byte)
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// A quoted string that has its closing quote and no control characters, so that a field that was cut off does not count.
  mutating func wholeQuotedString() -> String? {
    let start = position
    guard skip("\"") else { return nil }
    var content: [UInt8] = []
    while var byte = peek, byte != UInt8(ascii: "\"") {
      position += 1
      if byte == UInt8(ascii: "\\"), let escaped = peek {
        byte = escaped
        position += 1
      }
      guard byte >= 0x20 || byte == 0x09, byte != 0x7F else {
        position = start
        return nil
      }
      content.append(byte)
    }
    if skip("\"") { return String(decoding: content, as: UTF8.self) }
    position = start
    return nil
  }

  /// All up to a character, which stays; without white space at the ends.
  mutating func text(upTo stop: Unicode.Scalar) -> String {
    take { UInt32($0) != stop.value }.map { String($0.trimmingFieldWhitespace) } ?? ""
  }

  /// The parameters that follow a value: `; name=value; name="value"` (RFC 9110 5.6.6). Names in lower
  /// case. Unquoted values may hold anything but ";": servers send file names with spaces that way.
  mutating func parameters() -> [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    while !isAtEnd {
      _ = text(upTo: ";")
      guard skip(";") else { break }
      skipWhitespace()
      guard let name = token() else { continue }
      skipWhitespace()
      guard skip("=") else { continue }
      skipWhitespace()
      let value = peek == UInt8(ascii: "\"") ? quotedString() ?? "" : text(upTo: ";")
      result.append((name.lowercased(), value))
    }
    return result
  }

  package mutating func take(while condition: (UInt8) -> Bool) -> String? {
    let start = position
    while let byte = peek, condition(byte) { position += 1 }
    return position > start ? text(from: start) : nil
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }
}
