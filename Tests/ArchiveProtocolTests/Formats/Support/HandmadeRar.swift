import Foundation

/// Rar archives with stored members, byte by byte: nothing free writes them.
enum HandmadeRar {
  /// The format of rar 2.9 to 4 (technote.txt).
  static func version4(_ files: [(String, Data)]) -> [UInt8] {
    var bytes: [UInt8] = [0x52, 0x61, 0x72, 0x21, 0x1a, 7, 0]
    bytes += block4([0x73, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0])
    for (name, data) in files {
      var header: [UInt8] = [0x74, 0, 0x80]
      header += little(UInt16(32 + name.utf8.count)) + little(UInt32(data.count)) + little(UInt32(data.count))
      header += [3] + little(checksum(data)) + little(UInt32(0x5a21_0000)) + [20, 0x30]
      header += little(UInt16(name.utf8.count)) + little(UInt32(0o100644)) + Array(name.utf8)
      bytes += block4(header) + data
    }
    return bytes + block4([0x7b, 0, 0x40, 7, 0])
  }

  /// The format of rar 5 (RAR 5.0 archive format).
  static func version5(_ files: [(String, Data)], isSolid: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = [0x52, 0x61, 0x72, 0x21, 0x1a, 7, 1, 0]
    bytes += block5([1, 0, isSolid ? 4 : 0])
    for (name, data) in files {
      var header: [UInt8] = [2, 2] + number(data.count)
      header += [4] + number(data.count) + number(0o100644) + little(checksum(data))
      header += [0, 1] + number(name.utf8.count) + Array(name.utf8)
      bytes += block5(header) + data
    }
    return bytes + block5([5, 0, 0])
  }

  private static func block4(_ header: [UInt8]) -> [UInt8] {
    little(UInt16(truncatingIfNeeded: checksum(header))) + header
  }

  private static func block5(_ header: [UInt8]) -> [UInt8] {
    let sized = number(header.count) + header
    return little(checksum(sized)) + sized
  }

  private static func number(_ value: Int) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + number(value >> 7)
  }

  private static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xedb8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
