/// Reads archives of one format, or of one family, from a source. All calls block, and may come from several threads.
protocol ArchiveReader: AnyObject, Sendable {
  /// What people call the format, such as `zip` or `tar.gz`.
  var formatName: String { get }

  /// Reads the archive's directory. An error when there is none that can be trusted, or a limit is passed.
  func readEntries() throws -> [ArchiveEntry]

  /// Begins to read a member's bytes.
  /// - Parameters:
  ///   - entry: a file of this archive.
  ///   - offset: how many of the decoded bytes are to be left out.
  ///   - source: the archive's bytes, for this consumer.
  ///   - password: for an encrypted member.
  /// - Throws: ``ArchiveError/passwordRequired`` and ``ArchiveError/wrongPassword`` among others.
  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody
}

/// The bytes of one member, in order.
///
/// The end is an end only when all of the member was there and its checksum was right, as far as the format has one; all else is an error.
protocol MemberBody: AnyObject {
  /// Reads some bytes. Blocks.
  /// - Returns: how many; 0 at the verified end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
