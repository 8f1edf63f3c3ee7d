internal import URLLoadingCZlib

/// PKWARE's traditional encryption (APPNOTE 6.1), which is weak, and common.
///
/// Not by libarchive: the check byte of the password depends on whether sizes stand after the data (APPNOTE 6.1.6 and Info-ZIP's
/// practice), which the header that libarchive gets does not say.
struct ZipTraditionalDecryption {
  static let headerSize = 12

  private var key0: UInt32 = 0x1234_5678
  private var key1: UInt32 = 0x2345_6789
  private var key2: UInt32 = 0x3456_7890
  private let table = get_crc_table()

  init(password: [UInt8]) {
    for byte in password { update(byte) }
  }

  /// Decrypts the header, and compares its last byte.
  mutating func accepts(_ header: [UInt8], check: UInt8) -> Bool {
    var header = header
    header.withUnsafeMutableBytes { decrypt($0) }
    return header.last == check
  }

  mutating func decrypt(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in bytes.indices {
      let mixed = key2 | 2
      let mask = UInt8(truncatingIfNeeded: (mixed &* (mixed ^ 1)) >> 8)
      let plain = bytes[index] ^ mask
      bytes[index] = plain
      update(plain)
    }
  }

  private mutating func update(_ byte: UInt8) {
    key0 = checksum(key0, byte)
    key1 = (key1 &+ (key0 & 0xFF)) &* 134_775_813 &+ 1
    key2 = checksum(key2, UInt8(truncatingIfNeeded: key1 >> 24))
  }

  private func checksum(_ value: UInt32, _ byte: UInt8) -> UInt32 {
    guard let table else { return value }
    return UInt32(truncatingIfNeeded: table[Int((value ^ UInt32(byte)) & 0xFF)]) ^ (value >> 8)
  }
}
