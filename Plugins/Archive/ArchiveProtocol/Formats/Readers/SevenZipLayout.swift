/// Which files of a 7z archive are packed together, by its header; libarchive does not say it.
///
/// With it a file that is packed alone is read alone, and a file of a solid archive after those before it in its folder only. It is read
/// before libarchive takes memory for all that the header announces, which a few packed bytes can do: what cannot be judged here is an error.
struct SevenZipLayout {
  /// libarchive reads archives of no more members.
  static let maximumCount = 100_000_000
  private static let signatureLength: Int64 = 32

  /// The folder of each file, in the order of the files; nil for those without bytes.
  let folders: [Int?]

  /// - Parameter limits: those of the index, and of the members.
  static func read(from source: any ByteSource, limits: ArchiveConfiguration) throws -> SevenZipLayout {
    do {
      guard var header = try firstHeader(source, limits) else { return SevenZipLayout(folders: []) }
      // A packed header gives another one, which libarchive does not expect to be packed again.
      for _ in 0..<2 {
        var cursor = SevenZipCursor(header)
        switch try cursor.byte() {
        case 0x01: return SevenZipLayout(folders: try folders(&cursor, limits))
        case 0x17: header = try unpack(try SevenZipStreams(&cursor, limits: limits), source, limits)
        default: throw SevenZipCursor.Malformed()
        }
      }
      throw SevenZipCursor.Malformed()
    } catch is SevenZipCursor.Malformed {
      throw ArchiveError.damaged("the header of 7z is damaged")
    }
  }

  /// - Returns: nil for an archive without a header, which has no files.
  private static func firstHeader(_ source: any ByteSource, _ limits: ArchiveConfiguration) throws -> [UInt8]? {
    let start = try source.bytes(at: 0, count: Int(signatureLength))
    guard start.count == Int(signatureLength) else { throw SevenZipCursor.Malformed() }
    let offset = Int64(truncatingIfNeeded: start[12..<20].littleEndian)
    let size = Int64(truncatingIfNeeded: start[20..<28].littleEndian)
    guard size != 0 else { return nil }
    guard offset >= 0, size > 0, offset <= .max - signatureLength else { throw SevenZipCursor.Malformed() }
    try limits.check(indexBytes: size)
    let position = signatureLength + offset
    guard try source.findLength() - size >= position else {
      throw ArchiveError.damaged("the archive ends before its header does")
    }
    return try source.bytes(at: position, count: Int(size))
  }

  private static func unpack(
    _ streams: SevenZipStreams, _ source: any ByteSource, _ limits: ArchiveConfiguration
  ) throws -> [UInt8] {
    guard streams.folders.count == 1, let folder = streams.folders.first, let packedSize = streams.packSizes.first,
      let size = folder.unpackedSizes.first, let coder = folder.coders.first
    else { throw SevenZipCursor.Malformed() }
    guard !folder.coders.contains(where: { $0.method.starts(with: encryption) }) else {
      throw ArchiveError.unsupported("an encrypted header of 7z")
    }
    try limits.check(indexBytes: Int64(size))
    try limits.check(indexBytes: Int64(packedSize))
    let (position, overflow) = signatureLength.addingReportingOverflow(Int64(streams.packPosition))
    guard !overflow, try source.findLength() - Int64(packedSize) >= position else { throw SevenZipCursor.Malformed() }
    let packed = try source.bytes(at: position, count: packedSize)
    // 7-Zip packs by LZMA, others by LZMA2.
    switch (folder.coders.count, coder.method, coder.properties.count) {
    case (1, [0x00], _): return Array(packed.prefix(size))
    case (1, [0x03, 0x01, 0x01], 5):
      // The same data in the form of a .lzma file, whose header is the properties and the size.
      let length = withUnsafeBytes(of: UInt64(size).littleEndian, Array.init)
      return try decode(.lzma, coder.properties + length + packed, size: size)
    case (1, [0x21], 1):
      return try decode(.xz, XZContainer.file(lzma2: packed, properties: coder.properties[0], size: size), size: size)
    default: throw ArchiveError.unsupported("a header of 7z that is packed by another method than LZMA or LZMA2")
    }
  }

  /// How identifiers of encryption begin.
  private static let encryption: [UInt8] = [0x06, 0xf1]

  private static func decode(_ filter: CompressionFilter, _ file: [UInt8], size: Int) throws -> [UInt8] {
    let decoder = LibarchiveDecoder(filter, BytesOrigin(file))
    var result: [UInt8] = []
    while result.count < size {
      let bytes = try decoder.next()
      guard !bytes.isEmpty else { throw SevenZipCursor.Malformed() }
      result += bytes.prefix(size - result.count)
    }
    return result
  }

  private static func folders(_ cursor: inout SevenZipCursor, _ limits: ArchiveConfiguration) throws -> [Int?] {
    var streams: SevenZipStreams?
    while true {
      switch try cursor.byte() {
      case 0x00: return []
      case 0x04: streams = try SevenZipStreams(&cursor, limits: limits)
      case 0x05: return assign(try emptyFiles(&cursor, limits), streams?.fileCounts ?? [])
      // No tool writes properties of the archive (0x02), which libarchive reads in its own way, or other streams (0x03).
      default: throw SevenZipCursor.Malformed()
      }
    }
  }

  /// Which files have no bytes.
  private static func emptyFiles(_ cursor: inout SevenZipCursor, _ limits: ArchiveConfiguration) throws -> [Bool] {
    let count = try cursor.count(within: limits)
    while true {
      let property = try cursor.number()
      guard property != 0 else { return Array(repeating: false, count: count) }
      var data = SevenZipCursor(Array(try cursor.take(try cursor.number())))
      if property == 0x0e { return try data.bits(count) }
    }
  }

  private static func assign(_ areEmpty: [Bool], _ fileCounts: [Int]) -> [Int?] {
    var folder = 0
    var left = fileCounts.first ?? 0
    return areEmpty.map { isEmpty in
      guard !isEmpty else { return nil }
      while left == 0, folder < fileCounts.count {
        folder += 1
        left = folder < fileCounts.count ? fileCounts[folder] : 0
      }
      guard folder < fileCounts.count else { return nil }
      left -= 1
      return folder
    }
  }
}
