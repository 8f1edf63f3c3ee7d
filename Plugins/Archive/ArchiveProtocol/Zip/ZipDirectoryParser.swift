import Foundation

/// Reads the records of a central directory (APPNOTE 4.3.12). Does no I/O.
struct ZipDirectoryParser {
  /// A record without its name, extra fields and comment.
  static let recordSize = 46
  /// The attribute of a folder, which some tools write instead of a slash after its name.
  private static let dosDirectory: UInt32 = 0x10
  /// MS-DOS, Windows NTFS by APPNOTE and by Info-ZIP, and VFAT (APPNOTE 4.4.2).
  private static let dosHosts: [UInt8] = [ZipName.dosHost, 10, 11, 14]

  private let bytes: UnsafeRawBufferPointer
  private let directory: ZipDirectory
  private var entries: [ArchiveEntry] = []
  private var extents = ZipExtents()

  /// Reads all members.
  /// - Parameter bytes: those of `directory.range`.
  /// - Returns: the members in the directory's order, duplicates included, members without a name left out. Targets of symbolic
  ///   links are empty.
  static func entries(
    _ bytes: UnsafeRawBufferPointer, of directory: ZipDirectory, limits: ArchiveConfiguration
  ) throws(ArchiveError) -> [ArchiveEntry] {
    var parser = ZipDirectoryParser(bytes: bytes, directory: directory)
    try parser.parse(limits)
    return parser.entries
  }

  private mutating func parse(_ limits: ArchiveConfiguration) throws(ArchiveError) {
    let expected = Int(min(directory.members, UInt64(bytes.count / Self.recordSize)))
    entries.reserveCapacity(expected)
    extents.reserve(expected)
    var position = 0
    var members: UInt64 = 0
    while position < bytes.count {
      let signature = bytes.uint32(at: position)
      // A signature may follow the records (APPNOTE 4.3.13).
      if signature == ZipSignature.digitalSignature { break }
      guard signature == ZipSignature.directoryRecord, position <= bytes.count - Self.recordSize else {
        if members == 0, signature == ZipSignature.extraData { throw .unsupported("an encrypted directory") }
        throw .damaged(
          "record \(members) of its directory, at \(directory.range.lowerBound + Int64(position)), is none")
      }
      position = try appendRecord(at: position, number: members)
      members += 1
      if members > UInt64(expected) { try limits.check(members: members) }
    }
    guard members == directory.members || (!directory.hasWholeCount && members & 0xFFFF == directory.members) else {
      throw .damaged("its end record tells of \(directory.members) members, its directory has \(members)")
    }
    try extents.checkOverlaps()
  }

  /// Reads one record.
  /// - Returns: where it ends.
  private mutating func appendRecord(at position: Int, number: UInt64) throws(ArchiveError) -> Int {
    let nameStart = position + Self.recordSize
    let extraStart = nameStart + Int(bytes.uint16(at: position + 28))
    let commentStart = extraStart + Int(bytes.uint16(at: position + 30))
    let end = commentStart + Int(bytes.uint16(at: position + 32))
    guard end <= bytes.count else {
      throw .damaged("record \(number) of its directory reaches beyond the directory's end")
    }
    let flags = bytes.uint16(at: position + 8)
    let method = bytes.uint16(at: position + 10)
    let host = bytes[position + 5]
    let attributes = bytes.uint32(at: position + 38)
    let extra = try ZipRecordExtra(bytes, record: position, extra: extraStart..<commentStart, number: number)

    let name = ZipName(
      bytes, in: nameStart..<extraStart, unicodePath: extra.unicodePath, flags: flags,
      hasBackslashes: host == ZipName.dosHost)
    let (localHeader, overflow) = extra.localHeader.addingReportingOverflow(directory.shift)
    guard !overflow, localHeader >= 0,
      extents.append(localHeader, compressedSize: extra.compressedSize, limit: directory.range.lowerBound)
    else {
      throw .damaged(
        """
        \(EntryCollector.text(name.path)), at \(localHeader) with \(extra.compressedSize) bytes, reaches into its directory \
        at \(directory.range.lowerBound)
        """)
    }
    guard !name.path.isEmpty else { return end }
    let date =
      extra.modificationDate
      ?? ZipTime.date(dosDate: bytes.uint16(at: position + 14), dosTime: bytes.uint16(at: position + 12))
    entries.append(
      ArchiveEntry(
        path: name.path, kind: Self.kind(of: name, host: host, attributes: attributes, extra), size: extra.size,
        modificationDate: date, checksum: extra.hasNoChecksum ? nil : bytes.uint32(at: position + 16),
        isEncrypted: flags & ZipFlags.encrypted != 0,
        location: .zip(localHeader: localHeader, compressedSize: extra.compressedSize, method: method, flags: flags)))
    return end
  }

  /// The kind by the name, and by the mode that Unix (3) and macOS (19) write, or MS-DOS's attributes (APPNOTE 4.4.2, 4.4.15).
  ///
  /// No kind takes away data that is there: a zip made from a pipe has a member with the mode of a FIFO, for example.
  private static func kind(
    of name: ZipName, host: UInt8, attributes: UInt32, _ extra: ZipRecordExtra
  ) -> ArchiveEntry.Kind {
    if name.isDirectory { return .directory }
    let isUnix = host == 3 || host == 19
    let hasData = extra.size > 0 && extra.compressedSize > 0
    switch isUnix ? attributes >> 16 & UInt32(S_IFMT) : 0 {
    case 0:
      let isFolder = attributes & dosDirectory != 0 && (isUnix || dosHosts.contains(host))
      return isFolder && !hasData ? .directory : .file
    case UInt32(S_IFLNK): return extra.size <= ZipReader.maximumLinkTarget ? .symbolicLink(target: []) : .file
    // What came from a pipe may be empty.
    case UInt32(S_IFREG), UInt32(S_IFIFO): return .file
    case UInt32(S_IFDIR): return hasData ? .file : .directory
    default: return hasData ? .file : .other(ArchiveEntry.Special(mode: attributes >> 16))
    }
  }
}
