/// Takes apart several cookies that were joined by commas into one `Set-Cookie` value.
///
/// RFC 6265 3 forbids joining them because dates hold commas, but dictionaries of header fields leave no other way.
enum SetCookieSplitter {
  /// Splits at those commas that a name and "=" follow. A comma inside an Expires date is followed by a
  /// day, a space and a month instead.
  static func split(_ value: String) -> [String] {
    let bytes = Array(value.utf8)
    var result: [String] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: ",") && startsCookie(bytes, after: index) {
      result.append(String(decoding: bytes[start..<index], as: UTF8.self))
      start = index + 1
    }
    result.append(String(decoding: bytes[start...], as: UTF8.self))
    return result.map { String(Substring($0.utf8.drop { " \t,".utf8.contains($0) }).trimmingFieldWhitespace) }
      .filter { !$0.isEmpty }
  }

  private static func startsCookie(_ bytes: [UInt8], after comma: Int) -> Bool {
    var index = comma + 1
    while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    let name = index
    while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
    guard index > name else { return false }
    while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    return index < bytes.count && bytes[index] == UInt8(ascii: "=")
  }
}
