import Foundation
internal import URLLoadingBase

/// The value of a Location field, made fit for a URL parser.
///
/// Servers send raw spaces, non-ASCII bytes and stray percent signs there. All but what RFC 3986 allows is
/// percent-encoded; a host name keeps its non-ASCII letters, which `URL` turns into its IDNA form.
package struct LocationReference {
  private let text: String

  /// Cleans the value; nil when nothing is left of it.
  package init?(_ value: String) {
    // Leading and trailing controls and spaces, tabs and line ends anywhere: as the WHATWG URL Standard does.
    var bytes = Self.bytes(of: value)[...]
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard !bytes.isEmpty else { return nil }
    text = Self.encode(Array(bytes))
  }

  /// The URL that this refers to from `base` (RFC 3986 section 5.2); nil when it is no URL, or an HTTP one without host.
  ///
  /// It has the fragment of `base` unless it has one of its own (RFC 9110 section 10.2.2).
  package func resolved(against base: URL) -> URL? {
    guard var url = URL(string: text, relativeTo: base)?.absoluteURL, let scheme = url.scheme?.lowercased() else {
      return nil
    }
    if scheme == "http" || scheme == "https" {
      guard let host = url.host, !host.isEmpty else { return nil }
    }
    if url.fragment == nil, let fragment = base.absoluteURL.fragment(percentEncoded: true) {
      guard let inherited = URL(string: url.absoluteString + "#" + fragment) else { return nil }
      url = inherited
    }
    return url
  }

  /// The bytes that were sent, if `value` is their Latin-1 reading and they are UTF-8; else the UTF-8 of `value`.
  private static func bytes(of value: String) -> [UInt8] {
    let scalars = value.unicodeScalars
    guard scalars.contains(where: { $0.value >= 0x80 }), scalars.allSatisfy({ $0.value <= 0xFF }) else {
      return Array(value.utf8)
    }
    let bytes = scalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return String(validating: bytes, as: UTF8.self) == nil ? Array(value.utf8) : bytes
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    let authority = authorityRange(bytes)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isKept = byte >= 0x80 ? authority.contains(index) : isAllowed(byte)
      if isKept || PercentEncoding.escapedByte(in: bytes, at: index) != nil {
        result.append(byte)
      } else {
        PercentEncoding.appendEscape(of: byte, to: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What follows `//` at the start or after the scheme, up to the next delimiter (RFC 3986 section 3.2).
  private static func authorityRange(_ bytes: [UInt8]) -> Range<Int> {
    let isDelimiter: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let colon = bytes.firstIndex { $0 == UInt8(ascii: ":") || isDelimiter($0) }
    var start = 0
    if let colon, bytes[colon] == UInt8(ascii: ":") { start = colon + 1 }
    guard bytes[start...].starts(with: "//".utf8) else { return 0..<0 }
    return start + 2..<(bytes[(start + 2)...].firstIndex(where: isDelimiter) ?? bytes.endIndex)
  }

  /// Characters that may stand in a URL as they are; the percent sign is decided by what follows it.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !Array("\"%<>\\^`{|}".utf8).contains(byte)
  }
}
