/// The header that libarchive gets in front of a member's packed bytes: the directory's values, with an ASCII name, no data
/// descriptor, and zip64's field for large sizes.
struct ZipVirtualHeader {
  var local: ZipLocalHeader
  var checksum: UInt32
  var compressedSize: Int64
  var size: Int64

  /// What follows the packed bytes: an end record. Decoders of libarchive 3.6 that read one byte more than they need, such as that
  /// of Zstandard, take the end for missing bytes.
  static var endBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipSignature.endRecord)
    return bytes + [UInt8](repeating: 0, count: ZipEndRecord.size - bytes.count)
  }

  func bytes() -> [UInt8] {
    let isLarge = compressedSize >= 0xFFFF_FFFF || size >= 0xFFFF_FFFF
    var extra: [UInt8] = []
    if isLarge {
      extra.append(littleEndian: ZipExtraFields.Identifier.zip64)
      extra.append(littleEndian: UInt16(16))
      extra.append(littleEndian: size)
      extra.append(littleEndian: compressedSize)
    }
    if let aes = local.aes {
      extra.append(littleEndian: ZipExtraFields.Identifier.aes)
      extra.append(littleEndian: UInt16(7))
      extra.append(littleEndian: aes.version)
      extra.append(contentsOf: "AE".utf8)
      extra.append(aes.strength)
      extra.append(littleEndian: aes.method)
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipSignature.localHeader)
    bytes.append(littleEndian: UInt16(isLarge ? 45 : 20))
    // Bits 1 and 2 are the method's (APPNOTE 4.4.4), such as LZMA's end mark. Traditional encryption is already undone.
    bytes.append(littleEndian: local.flags & (local.method == ZipMethod.aes ? ZipFlags.encrypted | 0b110 : 0b110))
    bytes.append(littleEndian: local.method)
    bytes.append(littleEndian: local.dosTime)
    bytes.append(littleEndian: local.dosDate)
    bytes.append(littleEndian: checksum)
    bytes.append(littleEndian: isLarge ? UInt32.max : UInt32(compressedSize))
    bytes.append(littleEndian: isLarge ? UInt32.max : UInt32(size))
    bytes.append(littleEndian: UInt16(1))
    bytes.append(littleEndian: UInt16(extra.count))
    bytes.append(UInt8(ascii: "m"))
    return bytes + extra
  }
}
