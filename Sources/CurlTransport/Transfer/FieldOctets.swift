package import URLLoadingBase

/// How the octets of a field's value become a text, where the text has to become the same octets again.
enum FieldOctets {
  /// - Parameter value: without the whitespace around it.
  static func text(of value: UnsafeRawBufferPointer, in name: UnsafeRawBufferPointer) -> String {
    if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
    switch name.count {
    case 4:
      // An entity tag is opaque (RFC 9110 section 8.8.3): a character for each octet, whatever they are.
      if ResponseHeadParser.equal(name, "etag") { return String(latin1: value) }
    case 8: if ResponseHeadParser.equal(name, "location") { return reference(value) }
    case 16: if ResponseHeadParser.equal(name, "content-location") { return reference(value) }
    default: break
    }
    return ResponseHeadParser.string(value)
  }

  /// A URL has octets that are no UTF-8 only in percent-encoded form (RFC 3986 section 2.5).
  private static func reference(_ value: UnsafeRawBufferPointer) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    var encoded: [UInt8] = []
    for octet in value {
      if octet < 0x80 { encoded.append(octet) } else { PercentEncoding.appendEscape(of: octet, to: &encoded) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

extension TransferHead {
  /// The values of the Set-Cookie fields, whose octets are sent back.
  package var setCookies: [OctetText] { hasSetCookie ? lines.octetValues(of: "set-cookie") : [] }
}
