internal import URLLoadingCZlib

/// A cookie as a file has it.
struct CookieRow {
  /// Empty for none.
  let partition: String
  let record: CookieRecord

  /// A sum of 32 bits (CRC-32) of all that the row says, its last access excepted: SQLite does not notice a change inside of a value.
  var checksum: Int64 {
    let contents = record.cookie.contents
    var bytes: [UInt8] = []
    let ports = contents.ports.map(Self.text)
    for text in [
      partition, contents.domain, contents.path, contents.name, contents.value, contents.sameSite?.rawValue,
      contents.comment, contents.commentURL?.absoluteString, ports,
    ] {
      // No byte of UTF-8 is one of these two.
      if let text { bytes += text.utf8 } else { bytes.append(0xFE) }
      bytes.append(0xFF)
    }
    let expires = contents.expires.map { Self.bits($0) } ?? 0
    let flags: UInt64 = (contents.isSecure ? 1 : 0) | (contents.isHTTPOnly ? 2 : 0)
    let numbers = [
      expires, Self.bits(record.stored), UInt64(bitPattern: record.creation), flags,
      UInt64(bitPattern: Int64(contents.version)),
    ]
    for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    return bytes.withUnsafeBufferPointer { Int64(crc32_z(0, $0.baseAddress, $0.count)) }
  }

  /// SQLite may give zero without its sign.
  private static func bits(_ date: Date) -> UInt64 { (date.timeIntervalSinceReferenceDate + 0).bitPattern }

  static func text(of ports: [Int]) -> String { ports.map { String($0) }.joined(separator: ",") }
}
