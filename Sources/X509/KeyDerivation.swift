import Foundation

/// How much work encrypted files ask for to make a key of a passphrase. OpenSSL does whatever a file asks for, be it for days.
enum KeyDerivation {
  /// The most iterations that the parameters of PKCS #5 and PKCS #12 (RFC 8018, RFC 7292) in some DER ask for, of scrypt (RFC 7914) the
  /// product of its costs. 0 without any.
  ///
  /// The algorithms are found by their names, wherever they are. Those inside of what is encrypted do not show.
  static func iterations(in der: Data) -> Int {
    der.withUnsafeBytes { bytes in
      var largest = 0
      for start in bytes.indices where bytes[start] == 0x06 {
        guard let name = names.first(where: { bytes[start...].dropFirst().starts(with: $0.bytes) }) else { continue }
        var reader = Reader(bytes: bytes, position: start + 1 + name.bytes.count + name.following)
        let costs = reader.costs()
        largest = max(largest, name.isProduct ? costs.reduce(1, product) : costs.first ?? 0)
      }
      return largest
    }
  }

  /// The length and the beginning of an object identifier, and how many bytes of it follow.
  private static let names: [(bytes: [UInt8], following: Int, isProduct: Bool)] = [
    ([0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05], 1, false),
    ([0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01], 1, false),
    ([0x09, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B], 0, true),
  ]

  private static func product(_ first: Int, _ second: Int) -> Int {
    let (result, overflows) = first.multipliedReportingOverflow(by: max(second, 1))
    return overflows ? .max : result
  }

  /// Reads `SEQUENCE { OCTET STRING, INTEGER… }`.
  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    mutating func costs() -> [Int] {
      guard header(0x30) != nil, let salt = header(0x04), salt <= bytes.count - position else { return [] }
      position += salt
      var costs: [Int] = []
      while costs.count < 3, let length = header(0x02), length <= bytes.count - position {
        let value = bytes[position..<position + length].drop { $0 == 0 }
        costs.append(value.count > 7 ? .max : value.reduce(0) { $0 << 8 | Int($1) })
        position += length
      }
      return costs
    }

    /// A tag and a length; nil for another tag.
    private mutating func header(_ tag: UInt8) -> Int? {
      guard position + 1 < bytes.count, bytes[position] == tag else { return nil }
      let first = Int(bytes[position + 1])
      position += 2
      guard first >= 0x80 else { return first }
      let count = first & 0x7F
      guard count <= 4, count <= bytes.count - position else { return nil }
      defer { position += count }
      return bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
