internal import URLLoadingBase

/// The parts of a URL that are encoded (RFC 3986).
extension PercentEncoding {
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

  /// Encodes what a URL may not have behind its authority, percent signs that begin no escape included. Escapes stay.
  static func repaired(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var isInFragment = false
    var index = text.startIndex
    while index != text.endIndex {
      let byte = text[index]
      if escapedByte(in: text, at: index) != nil {
        bytes += text[index..<index + 3]
        index += 3
        continue
      }
      if byte == UInt8(ascii: "#"), !isInFragment {
        isInFragment = true
        bytes.append(byte)
      } else {
        append(CollectionOfOne(byte), to: &bytes, allowed: isAllowedBehindAuthority)
      }
      index += 1
    }
    return bytes
  }
}
