/// The header of a member in cpio's `crc` format: a sum of the member's bytes, which libarchive 3.6 does not check.
struct CpioChecksum {
  let dataPosition: Int64
  let sum: UInt32

  /// Whether the archive, and so each of its members, is of that format.
  static func isUsed(in source: any ByteSource) -> Bool {
    (try? source.bytes(at: 0, count: 6)).map { $0.elementsEqual("070702".utf8) } ?? false
  }

  /// The fields are of eight hexadecimal digits each (cpio(5), "New CRC Format"): the length of the name is the twelfth, the sum
  /// the thirteenth.
  init(source: any ByteSource, headerPosition: Int64) throws {
    let header = try source.bytes(at: headerPosition, count: 110)
    guard header.count == 110, let nameLength = Self.number(header[94..<102]), let sum = Self.number(header[102..<110])
    else { throw ArchiveError.damaged("there is no cpio header at position \(headerPosition)") }
    dataPosition = headerPosition + (110 + Int64(nameLength) + 3) / 4 * 4
    self.sum = sum
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
