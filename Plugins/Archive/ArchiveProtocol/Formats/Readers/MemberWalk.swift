/// A handle of libarchive that goes through an archive's members, in their order.
final class MemberWalk {
  let origin: SourceOrigin
  let handle: LibarchiveHandle
  /// The member whose header comes next.
  private(set) var nextOrdinal = 0

  /// - Parameter head: see ``SourceOrigin``.
  init(
    _ format: ArchiveFormat, source: any ByteSource, head: [UInt8] = [], blocks: LibarchiveFeed.BlockSizes
  ) throws {
    origin = SourceOrigin(source, head: head)
    handle = try LibarchiveHandle(LibarchiveFeed(origin, blocks: blocks), format: format)
  }

  /// The next member's header; nil at the end.
  func next() throws -> LibarchiveEntry? {
    guard let header = try handle.nextHeader() else { return nil }
    nextOrdinal += 1
    return LibarchiveEntry(header)
  }

  /// Skips to a member that comes later.
  func advance(to ordinal: Int) throws -> LibarchiveEntry {
    while let header = try next() {
      if nextOrdinal == ordinal + 1 { return header }
    }
    throw ArchiveError.damaged("the archive has \(nextOrdinal) members, and no member \(ordinal)")
  }
}
