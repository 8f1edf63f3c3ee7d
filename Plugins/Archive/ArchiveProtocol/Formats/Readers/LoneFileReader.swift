import Foundation

/// Reads a packed file that is no archive: it has one member, the file.
final class LoneFileReader: ArchiveReader {
  private let name: [UInt8]
  private let modificationDate: Date?
  private let source: any ByteSource
  private let filters: [CompressionFilter]
  private let spool: DecodedSpool

  init(
    name: [UInt8], modificationDate: Date?, source: any ByteSource, filters: [CompressionFilter], spool: DecodedSpool
  ) {
    self.name = name
    self.modificationDate = modificationDate
    self.source = source
    self.filters = filters
    self.spool = spool
  }

  var formatName: String { filters.reversed().map(\.suffix).joined(separator: ".") }

  /// Its size is known only after somebody has read it to the end.
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
    // Not the entry's size: the decoder's end is the one that is checked.
    PlainBody(source: SpooledDecoder(spool, packed: source), position: 0, size: nil, offset: offset)
  }
}
