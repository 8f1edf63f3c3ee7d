import URLLoading
internal import URLLoadingBase

/// What one of the options that send data adds to the body.
struct DataPart: Equatable, Sendable {
  /// What is done with the value.
  enum Kind: Character, Sendable {
    /// `-d`: `@FILE` is a file's content, without line ends.
    case text = "d"
    /// `--data-binary`: `@FILE` is a file's content as it is.
    case binary = "b"
    /// `--data-raw`: as it is.
    case raw = "r"
    /// `--data-urlencode`: `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`, percent-encoded.
    case encoded = "u"
    /// `--json`: as `--data-binary`, without `&` before it.
    case json = "j"
  }

  /// The option that stands for all of them after ``ArgumentExpander``.
  static let option = "data-part"

  let kind: Kind
  let value: String

  init(kind: Kind, value: String) {
    (self.kind, self.value) = (kind, value)
  }

  /// - Parameter argument: the letter of the kind, then the value.
  init?(_ argument: String) {
    guard let kind = argument.first.flatMap(Kind.init) else { return nil }
    self.init(kind: kind, value: String(argument.dropFirst()))
  }

  /// The body that parts come to, joined by `&` as a form's fields are.
  static func body(_ parts: [DataPart]) throws(Failure) -> Data {
    var result = Data()
    for (index, part) in parts.enumerated() {
      if index > 0, part.kind != .json { result.append(UInt8(ascii: "&")) }
      result.append(try part.content())
    }
    return result
  }

  private func content() throws(Failure) -> Data {
    switch kind {
    case .raw: return Data(value.utf8)
    case .text, .binary, .json:
      guard value.hasPrefix("@") else { return Data(value.utf8) }
      let content = try LocalInput.content(of: String(value.dropFirst()), limit: .max)
      return kind == .text ? content.filter { ![0x0A, 0x0D, 0].contains($0) } : content
    case .encoded: return try encoded()
    }
  }

  private func encoded() throws(Failure) -> Data {
    guard let mark = value.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return Self.encode(Data(value.utf8)) }
    let name = value[..<mark]
    let rest = value[value.index(after: mark)...]
    let content = value[mark] == "@" ? try LocalInput.content(of: String(rest), limit: .max) : Data(rest.utf8)
    return Data((name.isEmpty ? "" : "\(name)=").utf8) + Self.encode(content)
  }

  /// RFC 3986, section 2.3: what is not unreserved is encoded.
  private static func encode(_ content: Data) -> Data {
    var result: [UInt8] = []
    for byte in content {
      if unreserved.contains(byte) { result.append(byte) } else { PercentEncoding.appendEscape(of: byte, to: &result) }
    }
    return Data(result)
  }

  private static let unreserved = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
