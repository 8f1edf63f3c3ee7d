import Foundation

/// Reads a compressed file that is no archive: its one member is the file.
struct LoneFileReader: ArchiveReader {
  let name: [UInt8]
  let modificationDate: Date?
  let source: any ByteSource
  let filters: [CompressionFilter]
  let spool: DecodedSpool

  var formatName: String { filters.reversed().map(\.suffix).joined(separator: ".") }

  /// The size is known only once the file was decoded to its end.
  func readEntries() throws -> [ArchiveEntry] {
    try source.checkCancellation()
    return [
      ArchiveEntry(
        path: name, kind: .file, size: spool.length, modificationDate: modificationDate, location: .plain(position: 0))
    ]
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    // Without the entry's size: the decoder verifies the end.
    PlainBody(source: SpooledDecoder(spool: spool, packed: source), position: 0, size: nil, offset: offset)
  }
}
