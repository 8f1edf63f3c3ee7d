/// Which files of a 7z archive are packed together, by its header; libarchive does not say it.
///
/// With it a file that is packed alone is read alone, and a file of a solid archive after those before it in its folder only.
struct SevenZipLayout {
  static let maximumCount = 1 << 24
  private static let signatureLength: Int64 = 32

  /// The folder of each file, in the order of the files; nil for those without bytes.
  let folders: [Int?]

  /// - Parameter limit: bytes of the header, unpacked.
  /// - Returns: nil for a header that is not understood here; libarchive reports damage.
  static func read(from source: any ByteSource, limit: Int64) throws -> SevenZipLayout? {
    do {
      guard var header = try firstHeader(source, limit: limit) else { return nil }
      // A packed header gives another one, which may be packed again.
      for _ in 0..<4 {
        var cursor = SevenZipCursor(header)
        switch try cursor.byte() {
        case 0x01: return SevenZipLayout(folders: try folders(&cursor))
        case 0x17:
          let streams = try SevenZipStreams(&cursor)
          guard let unpacked = try unpack(streams, source: source, limit: limit) else { return nil }
          header = unpacked
        default: return nil
        }
      }
      return nil
    } catch is SevenZipCursor.Malformed {
      return nil
    }
  }

  private static func firstHeader(_ source: any ByteSource, limit: Int64) throws -> [UInt8]? {
    let start = try source.bytes(at: 0, count: Int(signatureLength))
    guard start.count == Int(signatureLength) else { return nil }
    let offset = Int64(truncatingIfNeeded: start[12..<20].littleEndian)
    let size = Int64(truncatingIfNeeded: start[20..<28].littleEndian)
    guard offset >= 0, size > 0, offset <= .max - signatureLength, size <= limit else { return nil }
    let position = signatureLength + offset
    guard try source.findLength() - size >= position else { return nil }
    return try source.bytes(at: position, count: Int(size))
  }

  private static func unpack(
    _ streams: SevenZipStreams, source: any ByteSource, limit: Int64
  ) throws -> [UInt8]? {
    guard streams.folders.count == 1, let folder = streams.folders.first, folder.coders.count == 1,
      let coder = folder.coders.first, let packedSize = streams.packSizes.first,
      let size = folder.unpackedSizes.first, size <= limit, packedSize <= limit
    else { return nil }
    let (position, overflow) = signatureLength.addingReportingOverflow(Int64(streams.packPosition))
    guard !overflow, try source.findLength() - Int64(packedSize) >= position else { return nil }
    let packed = try source.bytes(at: position, count: packedSize)
    switch coder.method {
    case [0x00]: return packed
    case [0x03, 0x01, 0x01] where coder.properties.count == 5: break
    default: return nil
    }
    // The same data in the form of a .lzma file, whose header is the properties and the size.
    let length = withUnsafeBytes(of: UInt64(size).littleEndian, Array.init)
    return decode(coder.properties + length + packed, size: size)
  }

  private static func decode(_ file: [UInt8], size: Int) -> [UInt8]? {
    let decoder = LibarchiveDecoder(.lzma, BytesOrigin(file))
    var result: [UInt8] = []
    while result.count < size {
      guard let bytes = try? decoder.next(), !bytes.isEmpty else { return nil }
      result += bytes.prefix(size - result.count)
    }
    return result
  }

  private static func folders(_ cursor: inout SevenZipCursor) throws -> [Int?] {
    var streams: SevenZipStreams?
    while true {
      switch try cursor.byte() {
      case 0x00: return []
      case 0x02:
        while try cursor.number() != 0 { _ = try cursor.take(try cursor.number()) }
      case 0x03: _ = try SevenZipStreams(&cursor)
      case 0x04: streams = try SevenZipStreams(&cursor)
      case 0x05: return assign(try emptyFiles(&cursor), streams?.fileCounts ?? [])
      default: throw SevenZipCursor.Malformed()
      }
    }
  }

  /// Which files have no bytes.
  private static func emptyFiles(_ cursor: inout SevenZipCursor) throws -> [Bool] {
    let count = try cursor.count(ofAtLeast: 0)
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
