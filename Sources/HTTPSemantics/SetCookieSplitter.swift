/// Splits a `Set-Cookie` value of several cookies that were joined by commas: RFC 6265 3 forbids that, because dates have commas, but a
/// dictionary of header fields has no other way.
package enum SetCookieSplitter {
  /// Splits at those commas that a name and "=" follow. A comma inside an Expires date is followed by a
  /// day, a space and a month instead.
  package static func split(_ value: String) -> [String] {
    let bytes = Array(value.utf8)
    var scanner = FieldScanner(bytes)
    var result: [String] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: ",") {
      scanner.position = index + 1
      guard beginsCookie(&scanner) else { continue }
      result.append(String(decoding: bytes[start..<index], as: UTF8.self))
      start = index + 1
    }
    result.append(String(decoding: bytes[start...], as: UTF8.self))
    return result.map { String(Substring($0.utf8.drop { " \t,".utf8.contains($0) }).trimmingFieldWhitespace) }
      .filter { !$0.isEmpty }
  }

  private static func beginsCookie(_ scanner: inout FieldScanner) -> Bool {
    scanner.skipWhitespace()
    guard scanner.token() != nil else { return false }
    scanner.skipWhitespace()
    return scanner.skip("=")
  }
}
