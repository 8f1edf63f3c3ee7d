/// A MIME type, parsed and serialised by the WHATWG MIME Sniffing Standard, section 4.
struct MIMEType: Equatable, Sendable {
  /// The top-level type in lower case: `text`.
  var type: String
  /// The subtype in lower case: `html`.
  var subtype: String
  /// The parameters in their order, names in lower case and unique.
  var parameters: [(name: String, value: String)]

  /// Type and subtype alone: `text/html`.
  var essence: String { type + "/" + subtype }

  /// The value of the `charset` parameter.
  var charset: String? { self["charset"] }

  /// The value of a parameter; `name` is in lower case.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// `text/plain;charset=US-ASCII`, the type of a `data:` URL that states none (RFC 2397 section 2).
  static let dataURLDefault = MIMEType(
    type: "text", subtype: "plain", parameters: [(name: "charset", value: "US-ASCII")])

  /// Creates a MIME type from parts that are known to be valid.
  init(type: String, subtype: String, parameters: [(name: String, value: String)] = []) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  /// Parses the value of a Content-Type field or the media type of a `data:` URL.
  ///
  /// - Returns: nil when type or subtype is missing or no token; wrong parameters are dropped.
  init?(parsing text: some StringProtocol) {
    self.init(parsing: Array(text.utf8))
  }

  /// Parses the UTF-8 or Latin-1 bytes of a MIME type.
  init?(parsing bytes: [UInt8]) {
    var reader = Reader(bytes: bytes[...].trimmed())
    let type = reader.take { $0 == UInt8(ascii: "/") }
    guard type.isToken, reader.skip(UInt8(ascii: "/")) else { return nil }
    let subtype = reader.take { $0 == UInt8(ascii: ";") }.trimmedEnd()
    guard subtype.isToken else { return nil }
    self.init(type: type.lowercasedText, subtype: subtype.lowercasedText)
    while reader.skip(UInt8(ascii: ";")) {
      guard let parameter = reader.parameter(), self[parameter.name] == nil else { continue }
      parameters.append(parameter)
    }
  }

  /// The whole type as text: `text/html;charset=utf-8`. Values that are no tokens are quoted.
  var serialized: String {
    var text = essence
    for (name, value) in parameters {
      text += ";\(name)="
      if Array(value.utf8)[...].isToken {
        text += value
      } else {
        let escaped = value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        text += "\"" + String(escaped) + "\""
      }
    }
    return text
  }

  static func == (left: MIMEType, right: MIMEType) -> Bool { left.serialized == right.serialized }

  /// A position in the text of a MIME type.
  private struct Reader {
    var bytes: ArraySlice<UInt8>

    /// Takes everything up to a byte that `isEnd` accepts, or to the end.
    mutating func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
      let end = bytes.firstIndex(where: isEnd) ?? bytes.endIndex
      defer { bytes = bytes[end...] }
      return bytes[..<end]
    }

    /// Steps over `byte` if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
      guard bytes.first == byte else { return false }
      bytes.removeFirst()
      return true
    }

    /// One parameter, up to the next semicolon; nil when it is not valid.
    mutating func parameter() -> (name: String, value: String)? {
      _ = take { !$0.isHTTPWhitespace }
      let name = take { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
      guard skip(UInt8(ascii: "=")), !bytes.isEmpty else { return nil }
      let value: ArraySlice<UInt8>
      if skip(UInt8(ascii: "\"")) {
        value = quotedString()
        _ = take { $0 == UInt8(ascii: ";") }
      } else {
        value = take { $0 == UInt8(ascii: ";") }.trimmedEnd()
        if value.isEmpty { return nil }
      }
      guard name.isToken, value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
      return (name.lowercasedText, String(decoding: value, as: UTF8.self))
    }

    /// The rest of a quoted string whose first quote was taken (Fetch, "collect an HTTP quoted string").
    private mutating func quotedString() -> ArraySlice<UInt8> {
      var value: [UInt8] = []
      while true {
        value += take { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        guard let mark = bytes.popFirst(), mark == UInt8(ascii: "\\") else { return value[...] }
        // A backslash at the very end stands for itself.
        value.append(bytes.popFirst() ?? UInt8(ascii: "\\"))
      }
    }
  }
}

extension UInt8 {
  /// HTTP whitespace: tab, line feed, carriage return, space.
  fileprivate var isHTTPWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension ArraySlice<UInt8> {
  fileprivate var isToken: Bool { !isEmpty && allSatisfy(\.isTokenCharacter) }

  fileprivate var lowercasedText: String {
    String(decoding: lazy.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  fileprivate func trimmed() -> ArraySlice<UInt8> { drop(while: \.isHTTPWhitespace).trimmedEnd() }

  fileprivate func trimmedEnd() -> ArraySlice<UInt8> {
    guard let last = lastIndex(where: { !$0.isHTTPWhitespace }) else { return [] }
    return self[...last]
  }
}
