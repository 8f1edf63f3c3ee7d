/// The file of one block that `xz` would write around LZMA2 data (The .xz File Format, sections 2 to 4), without a check.
enum XZContainer {
  /// - Parameters:
  ///   - properties: the byte that says how large the dictionary is, as in 7z.
  ///   - size: of the data, unpacked.
  static func file(lzma2 packed: [UInt8], properties: UInt8, size: Int) -> [UInt8] {
    let flags: [UInt8] = [0, 0]
    var file: [UInt8] = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] + flags
    appendChecksum(of: flags, to: &file)
    // Twelve bytes; one filter, LZMA2, with one byte of properties.
    let header: [UInt8] = [2, 0, 0x21, 1, properties, 0, 0, 0]
    file += header
    appendChecksum(of: header, to: &file)
    file += packed
    pad(&file)
    var index: [UInt8] = [0, 1]
    append(header.count + 4 + packed.count, to: &index)
    append(size, to: &index)
    pad(&index)
    file += index
    appendChecksum(of: index, to: &file)
    var footer: [UInt8] = []
    footer.append(littleEndian: UInt32(index.count / 4))
    footer += flags
    appendChecksum(of: footer, to: &file)
    return file + footer + [0x59, 0x5a]
  }

  private static func appendChecksum(of bytes: [UInt8], to file: inout [UInt8]) {
    var checksum = RunningChecksum()
    bytes.withUnsafeBytes { checksum.add($0) }
    file.append(littleEndian: checksum.value)
  }

  private static func pad(_ bytes: inout [UInt8]) {
    while bytes.count % 4 != 0 { bytes.append(0) }
  }

  /// Seven bits a byte, the least significant first.
  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
