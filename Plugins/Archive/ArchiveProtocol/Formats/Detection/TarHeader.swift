/// The header of a tar member.
enum TarHeader {
  static let blockSize = 512

  /// Whether the checksum of the first block is right (POSIX.1-2017 pax, "ustar Interchange Format"): the sum of its bytes, with
  /// spaces for the checksum itself. Some old writers added signed bytes.
  static func hasValidChecksum(_ head: [UInt8]) -> Bool {
    guard head.count >= blockSize, let stated = octal(head[148..<156]) else { return false }
    var unsigned = 0
    var signed = 0
    for (index, byte) in head[..<blockSize].enumerated() {
      let counted = (148..<156).contains(index) ? 0x20 : byte
      unsigned += Int(counted)
      signed += Int(Int8(bitPattern: counted))
    }
    return stated == unsigned || stated == signed
  }

  /// Whether the whole archive is the blocks of zeros at its end.
  static func isEmptyArchive(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 2 * blockSize && bytes.count % blockSize == 0 && bytes.allSatisfy { $0 == 0 }
  }

  /// A number in octal digits between spaces or zero bytes; nil where there is none.
  static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard !digits.isEmpty, digits.count <= 20 else { return nil }
    guard let behind = field[digits.endIndex...].first, behind == 0x20 || behind == 0 else { return nil }
    return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
  }
}
