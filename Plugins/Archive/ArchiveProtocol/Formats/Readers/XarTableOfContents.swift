internal import URLLoadingCZlib

/// The table of contents of a xar archive: a compressed XML document after a short header.
///
/// It is checked before libarchive reads it: up to 3.7.4 libarchive goes round in a list of hard links without end, and nothing can stop
/// it, where a file has more than one link. Later versions refuse such a table, as this does with every version. Each file with one link
/// at most is put into a list once, in front of those that are there, so no list is a ring.
struct XarTableOfContents {
  /// Header and table, as they were checked. What a hostile server sends for the same bytes a second time need not be the same.
  let head: [UInt8]

  private static let headerSize: Int64 = 28

  /// - Parameter limits: those of the index.
  init(source: any ByteSource, limits: ArchiveConfiguration) throws {
    let header = try source.bytes(in: 0..<Self.headerSize)
    // Big-endian numbers: the compressed length, and the length.
    let packedLength = header[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let length = header[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    try limits.check(indexBytes: Int64(clamping: packedLength))
    try limits.check(indexBytes: Int64(clamping: length))
    // Deflate packs 1,032 bytes into one at most.
    let most = packedLength.multipliedReportingOverflow(by: 1032)
    guard most.overflow || length <= most.partialValue, length < Int.max else { throw Self.damage }
    let end = Self.headerSize.addingReportingOverflow(Int64(clamping: packedLength))
    guard !end.overflow, try source.findLength() >= end.partialValue else {
      throw ArchiveError.damaged("the archive ends before its table of contents does")
    }
    head = try source.bytes(in: 0..<end.partialValue)
    var scanner = XarLinkScanner(try Self.inflate(head.dropFirst(Int(Self.headerSize)), length: Int(clamping: length)))
    try scanner.scan()
  }

  /// Decompresses the table, and never more than it says.
  private static func inflate(_ packed: ArraySlice<UInt8>, length: Int) throws -> [UInt8] {
    // One byte more shows a table that is longer.
    var capacity = uLongf(length + 1)
    var packedCount = uLong(packed.count)
    var status = Z_OK
    let table = [UInt8](unsafeUninitializedCapacity: length + 1) { buffer, filled in
      status = packed.withUnsafeBufferPointer {
        uncompress2(buffer.baseAddress, &capacity, $0.baseAddress, &packedCount)
      }
      filled = status == Z_OK ? Int(capacity) : 0
    }
    guard status == Z_OK, table.count == length else { throw damage }
    return table
  }

  private static let damage = ArchiveError.damaged("the table of contents of xar is damaged")
}
