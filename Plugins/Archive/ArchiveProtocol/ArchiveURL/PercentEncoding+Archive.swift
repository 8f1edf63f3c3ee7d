internal import URLLoadingBase

/// The parts of a URL that are encoded (RFC 3986).
extension PercentEncoding {
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

  /// Appends bytes, all but unreserved ones encoded.
  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      if isUnreserved(byte) { text.append(byte) } else { appendEscape(of: byte, to: &text) }
    }
  }

  /// Encodes what a URL may not have after its authority, percent signs that begin no escape included. Escapes stay.
  static func repaired(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    let fragment = text.firstIndex(of: UInt8(ascii: "#"))
    for (index, byte) in zip(text.indices, text) {
      let isKept = isAllowedBehindAuthority(byte) || index == fragment || escapedByte(in: text, at: index) != nil
      if isKept { bytes.append(byte) } else { appendEscape(of: byte, to: &bytes) }
    }
    return bytes
  }
}
