/// The format of an archive by its content. Names do not count.
enum ArchiveSignature: Sendable, Hashable {
  case archive(ArchiveFormat)
  case compressed(CompressionFilter)
  /// None of the formats; what it looks like, if that is known.
  case unknown(String?)

  /// The first bytes that are examined: up to the volume descriptor of ISO 9660 (ECMA-119, 6.7.1).
  static let headLength = 32_768 + 6
  /// The last bytes that are examined: zip's end record and its comment (APPNOTE 4.3.16).
  static let tailLength = ZipEndRecord.size + ZipEndRecord.maximumCommentLength

  /// Detects the format by the first bytes. For zip archives after other data see ``hasZipEndRecord(_:)``.
  /// - Parameter head: the first ``headLength`` bytes, or all that there are.
  static func detect(head: [UInt8]) -> ArchiveSignature {
    if let filter = filter(of: head) { return .compressed(filter) }
    if let format = format(of: head) { return .archive(format) }
    if LzmaAloneHeader.isPlausible(head) { return .compressed(.lzma) }
    return .unknown(ForeignFormat.describe(head))
  }

  /// Whether the last bytes hold the end record of a zip archive: its comment has to reach the end exactly.
  static func hasZipEndRecord(_ tail: [UInt8]) -> Bool {
    tail.withUnsafeBytes { tail in
      tail.indices.dropLast(ZipEndRecord.size - 1).reversed().contains {
        tail.uint32(at: $0) == ZipSignature.endRecord
          && $0 + ZipEndRecord.size + Int(tail.uint16(at: $0 + 20)) == tail.count
      }
    }
  }

  private static func filter(of head: [UInt8]) -> CompressionFilter? {
    let magics: [(CompressionFilter, [UInt8])] = [
      (.gzip, [0x1f, 0x8b, 8]),  // RFC 1952, 2.3.1
      (.xz, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
      (.zstd, [0x28, 0xb5, 0x2f, 0xfd]),  // RFC 8878, 3.1.1
      (.lz4, [0x04, 0x22, 0x4d, 0x18]), (.lz4, [0x02, 0x21, 0x4c, 0x18]),
    ]
    if let found = magics.first(where: { head.starts(with: $0.1) }) { return found.0 }
    // "BZh", the block size, then the magic of a block or of the end.
    let bytes = Array(head.prefix(10))
    if bytes.count == 10, bytes.starts(with: Array("BZh".utf8)), (0x31...0x39).contains(bytes[3]),
      bytes[4...].elementsEqual([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        || bytes[4...].elementsEqual([0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
    {
      return .bzip2
    }
    return SkippableFrame.filter(behind: head)
  }

  private static func format(of head: [UInt8]) -> ArchiveFormat? {
    let magics: [(ArchiveFormat, [UInt8])] = [
      (.zip, [0x50, 0x4b, 3, 4]), (.zip, [0x50, 0x4b, 5, 6]),
      (.zip, [0x50, 0x4b, 0x30, 0x30, 0x50, 0x4b, 3, 4]), (.zip, [0x50, 0x4b, 7, 8, 0x50, 0x4b, 3, 4]),
      (.sevenZip, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
      (.ar, Array("!<arch>\n".utf8)),
      (.cab, Array("MSCF\0\0\0\0".utf8)),
      (.rar5, [0x52, 0x61, 0x72, 0x21, 0x1a, 7, 1, 0]), (.rar, [0x52, 0x61, 0x72, 0x21, 0x1a, 7, 0]),
      (.xar, Array("xar!".utf8)), (.warc, Array("WARC/".utf8)),
    ]
    if let found = magics.first(where: { head.starts(with: $0.1) }) { return found.0 }
    if TarHeader.hasValidChecksum(head) { return .tar }
    if CpioHeader.isPlausible(head) { return .cpio }
    // ECMA-119, 8.1: a volume descriptor in sector 16 has the identifier "CD001".
    if head.count >= headLength, head[32_769...].starts(with: Array("CD001".utf8)) { return .iso9660 }
    if LhaHeader.isPlausible(head) { return .lha }
    if head.count < headLength, TarHeader.isEmptyArchive(head) { return .tar }
    return nil
  }
}
