/// Reads tar, cpio and ar, whose members stand unpacked one after another.
///
/// The directory is made in one pass over the headers. After that a member is a range of the source; only sparse files are read by
/// libarchive.
struct SequenceReader: ArchiveReader {
  let format: ArchiveFormat
  let source: any ByteSource
  let configuration: ArchiveConfiguration

  var formatName: String { format.rawValue }

  func readEntries() throws -> [ArchiveEntry] {
    try SourceFailure.unwrapping {
      var index = try SequenceIndex(format, source: source, limits: configuration)
      return try index.read()
    }
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    try configuration.check(memberSize: entry.size)
    switch entry.location {
    case .plain(let position):
      return PlainBody(source: source, position: position, size: entry.size, offset: offset)
    case .ordinal(_, headerPosition: let position?):
      if format == .cpio {
        let header = try CpioChecksum(source: source, headerPosition: position)
        return ChecksummedBody(
          PlainBody(source: source, position: header.dataPosition, size: entry.size, offset: offset),
          sum: offset == 0 ? header.sum : nil)
      }
      let origin = SourceOrigin(source, start: position)
      return try SourceFailure.unwrapping {
        let handle = try LibarchiveHandle(LibarchiveFeed(origin, blocks: .bodies), format: format)
        guard try handle.nextHeader() != nil else {
          throw ArchiveError.damaged("there is no member at position \(position)")
        }
        return BlockBody(handle, size: entry.size, isSparse: true, offset: offset, limits: configuration)
      }
    case .ordinal, .zip, .none:
      throw ArchiveError.unsupported("this member has no bytes of its own")
    }
  }
}
