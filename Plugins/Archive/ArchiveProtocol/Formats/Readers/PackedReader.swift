/// Reads a compressed tar, cpio or ar archive: a sequence over the decoded bytes.
struct PackedReader: ArchiveReader {
  /// Reads its directory from a decoder over ``spool``.
  let inner: SequenceReader
  let filters: [CompressionFilter]
  let spool: DecodedSpool

  var formatName: String { ([inner.formatName] + filters.reversed().map(\.suffix)).joined(separator: ".") }

  func readEntries() throws -> [ArchiveEntry] {
    try inner.readEntries()
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    try inner.open(entry, from: offset, source: SpooledDecoder(spool: spool, packed: source), password: password)
  }
}
