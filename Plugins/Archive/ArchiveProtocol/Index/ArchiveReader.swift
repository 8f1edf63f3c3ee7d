/// Reads archives of one format, or of one family, from a source. All calls block, and may come from several threads.
protocol ArchiveReader: Sendable {
  /// Such as `zip` or `tar.gz`.
  var formatName: String { get }

  /// Reads the archive's directory. Throws when it is damaged or above a limit.
  func readEntries() throws -> [ArchiveEntry]

  /// Begins to read a member's bytes.
  /// - Parameters:
  ///   - entry: a file of this archive.
  ///   - offset: how many of the decoded bytes are skipped.
  ///   - source: the archive's bytes, for this consumer.
  ///   - password: for an encrypted member.
  /// - Throws: ``ArchiveError/passwordRequired`` and ``ArchiveError/wrongPassword`` among others.
  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody
}

/// The bytes of one member, in order.
///
/// The end is reported only when the member was whole and its checksum right, as far as the format has one; else an error.
protocol MemberBody: AnyObject {
  /// Reads some bytes. Blocks.
  /// - Returns: how many; 0 at the verified end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
