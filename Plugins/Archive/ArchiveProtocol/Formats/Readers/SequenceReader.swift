/// Reads tar, cpio and ar: members stand one after another, as they are.
///
/// The directory is made in one pass over the headers. After that a member is a range of the source, and libarchive is
/// asked only for those that are not one: sparse files.
final class SequenceReader: ArchiveReader {
  private let format: ArchiveFormat
  private let source: any ByteSource
  private let options: FormatOptions

  init(_ format: ArchiveFormat, source: any ByteSource, options: FormatOptions) {
    self.format = format
    self.source = source
    self.options = options
  }

  var formatName: String { format.name }

  func readEntries() throws -> [ArchiveEntry] {
    do {
      var index = try SequenceIndex(format, source: source, limits: options.limits)
      return try index.read()
    } catch {
      throw SourceFailure.unwrap(error)
    }
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
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
      return try unwrapping {
        let handle = try LibarchiveHandle(LibarchiveFeed(origin, blocks: .bodies), format: format)
        guard try handle.nextHeader() != nil else {
          throw ArchiveError.damaged("there is no member at position \(position)")
        }
        return BlockBody(handle, size: entry.size, isSparse: true, offset: offset, limits: options.limits)
      }
    case .ordinal, .zip, .none:
      throw ArchiveError.unsupported("this member has no bytes of its own")
    }
  }

  private func unwrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw SourceFailure.unwrap(error) }
  }
}
