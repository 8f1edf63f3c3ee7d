/// Reads a packed tar, cpio or ar archive: the same archive, over the bytes that were decoded.
final class PackedReader: ArchiveReader {
  private let inner: SequenceReader
  private let filters: [CompressionFilter]
  private let spool: DecodedSpool

  /// - Parameter inner: reads its directory from a decoder over `spool`.
  init(_ inner: SequenceReader, filters: [CompressionFilter], spool: DecodedSpool) {
    self.inner = inner
    self.filters = filters
    self.spool = spool
  }

  var formatName: String { ([inner.formatName] + filters.reversed().map(\.suffix)).joined(separator: ".") }

  func readEntries() throws -> [ArchiveEntry] {
    try inner.readEntries()
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    try inner.open(entry, from: offset, source: SpooledDecoder(spool, packed: source), password: password)
  }
}
