/// Percent-encoding on bytes (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Which bytes are not encoded.
  typealias Allowed = (UInt8) -> Bool

  /// RFC 3986, section 2.3.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// What a path, query or fragment may have: unreserved, sub-delims, and `:@/?` (RFC 3986, sections 3.3 to 3.5).
  static func isAllowedBehindAuthority(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte)
  }

  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8], allowed: Allowed) {
    for byte in bytes {
      if allowed(byte) { text.append(byte) } else { appendEscape(of: byte, to: &text) }
    }
  }

  /// Decodes every escape. A percent sign that begins none is kept.
  static func decoded(_ text: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index != text.endIndex {
      if let (byte, next) = escape(in: text, at: index) {
        bytes.append(byte)
        index = next
      } else {
        bytes.append(text[index])
        index = text.index(after: index)
      }
    }
    return bytes
  }

  /// Encodes what a URL may not have behind its authority, percent signs that begin no escape included. Escapes stay.
  static func repaired(_ text: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var isInFragment = false
    var index = text.startIndex
    while index != text.endIndex {
      let byte = text[index]
      if let (_, next) = escape(in: text, at: index) {
        bytes.append(contentsOf: text[index..<next])
        index = next
        continue
      }
      if byte == UInt8(ascii: "#"), !isInFragment {
        isInFragment = true
        bytes.append(byte)
      } else {
        append(CollectionOfOne(byte), to: &bytes, allowed: isAllowedBehindAuthority)
      }
      index = text.index(after: index)
    }
    return bytes
  }

  private static func escape<Text: RandomAccessCollection<UInt8>>(
    in text: Text, at index: Text.Index
  ) -> (byte: UInt8, next: Text.Index)? {
    guard text[index] == UInt8(ascii: "%"), text.distance(from: index, to: text.endIndex) >= 3 else { return nil }
    let first = text.index(after: index)
    let second = text.index(after: first)
    guard let high = digit(text[first]), let low = digit(text[second]) else { return nil }
    return (high << 4 | low, text.index(after: second))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  private static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
    let digits = StaticString("0123456789ABCDEF").utf8Start
    text.append(UInt8(ascii: "%"))
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
}
