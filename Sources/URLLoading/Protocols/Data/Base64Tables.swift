/// The lookup tables of `Base64Decoder`: one of 256 entries for each of the four positions in a group.
///
/// An entry is the byte's 6-bit value shifted to where its bits belong among the group's three output bytes, of which
/// the first is the lowest. Or-ing four entries gives the group.
enum Base64Tables {
  /// Set in the entries of bytes outside the alphabet.
  static let invalid: UInt32 = 0x8000_0000

  /// The four tables, one after the other.
  static let shared: [UInt32] = {
    var tables = [UInt32](repeating: invalid, count: 1024)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, byte) in alphabet.utf8.enumerated() {
      let value = UInt32(value)
      for position in 0..<4 {
        let bits = value << UInt32(18 - 6 * position)
        // Output order in memory: bits 23…16 first.
        tables[256 * position + Int(byte)] = bits >> 16 | bits & 0xFF00 | (bits & 0xFF) << 16
      }
    }
    return tables
  }()
}

/// The value of a hexadecimal digit, or nil for any other byte.
@inline(__always)
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x37
  case 0x61...0x66: byte - 0x57
  default: nil
  }
}
