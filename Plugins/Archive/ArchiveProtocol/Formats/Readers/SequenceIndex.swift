/// The one pass over the headers of a tar, cpio or ar archive.
struct SequenceIndex {
  /// A member that is a range of the source, unless the next header contradicts that.
  private struct Candidate {
    let ordinal: Int
    let headerPosition: Int64
    let end: Int64
    let path: [UInt8]?
  }

  private let format: ArchiveFormat
  private let source: any ByteSource
  /// Whether members have a ``CpioChecksum``.
  private let isChecksummed: Bool
  private let handle: LibarchiveHandle
  private var collector: EntryCollector
  private var last: Candidate?
  /// The member that reaches farthest.
  private var farthest: Candidate?

  init(_ format: ArchiveFormat, source: any ByteSource, limits: ArchiveConfiguration) throws {
    self.format = format
    self.source = source
    isChecksummed = format == .cpio && CpioChecksum.isUsed(in: source)
    collector = EntryCollector(limits: limits)
    handle = try LibarchiveHandle(LibarchiveFeed(SourceOrigin(source), blocks: .headers), format: format)
  }

  mutating func read() throws -> [ArchiveEntry] {
    while let pointer = try handle.nextHeader() {
      let headerPosition = handle.headerPosition
      checkLast(nextHeader: headerPosition)
      try add(LibarchiveEntry(pointer), headerPosition: headerPosition)
    }
    // Finds out whether the last member is whole; at the end of a packed archive its checksum is verified.
    let length = try source.findLength()
    if let farthest, farthest.end > length {
      throw ArchiveError.damaged(
        "member \(EntryCollector.text(farthest.path ?? [])) reaches to byte \(farthest.end), but the archive ends at \(length)"
      )
    }
    return collector.finished()
  }

  private mutating func add(_ header: LibarchiveEntry, headerPosition: Int64) throws {
    let ordinal = try collector.nextOrdinal()
    let dataPosition = handle.consumedCount
    let count = collector.entries.count
    if header.isSparse || isChecksummed {
      try collector.add(header, ordinal: ordinal, location: .ordinal(ordinal, headerPosition: headerPosition))
      return
    }
    let (end, overflow) = dataPosition.addingReportingOverflow(header.size ?? 0)
    guard !overflow else { throw ArchiveError.damaged("member \(ordinal) is larger than any archive") }
    try collector.add(header, ordinal: ordinal, location: .plain(position: dataPosition))
    guard collector.entries.count > count, case .plain? = collector.entries.last?.location else { return }
    let candidate = Candidate(
      ordinal: ordinal, headerPosition: headerPosition, end: end, path: collector.entries.last?.path)
    last = candidate
    if end > farthest?.end ?? 0 { farthest = candidate }
  }

  /// A member that does not end where the next one begins is no range of the source, and is read by libarchive.
  private mutating func checkLast(nextHeader: Int64) {
    guard let last else { return }
    self.last = nil
    let padding: Int64 = format == .tar ? 512 : 4
    guard format != .cpio, !(0..<padding).contains(nextHeader - last.end) else { return }
    collector.relocateLast(.ordinal(last.ordinal, headerPosition: last.headerPosition))
  }
}
