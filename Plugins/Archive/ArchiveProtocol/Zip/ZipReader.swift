/// Reads zip archives by their directory, which is at the end, and their members by their places: a member costs no more
/// than its own bytes.
///
/// A member's path is its name as ``ZipName`` reads it. Of a symbolic link the directory does not have the target:
/// ``readEntries()`` leaves it empty, which no real target is, and ``readLinkTarget(of:source:password:)`` reads it.
// Safe to share: nothing in it changes.
final class ZipReader: ArchiveReader {
  /// Header and data of a member come with one read up to this many bytes.
  private static let maximumFirstRead: Int64 = 256 << 10
  /// The same where only a later part of the member is wanted: of more, nothing comes with the header.
  private static let maximumFirstReadOfRange: Int64 = 16 << 10
  /// The extra fields that tools usually write into local headers fit into this.
  private static let usualExtraSize = 128
  /// Linux has no longer paths (PATH_MAX).
  private static let maximumLinkTarget: Int64 = 4096

  let formatName = "zip"
  private let source: any ByteSource
  private let limits: ArchiveLimits

  init(source: any ByteSource, limits: ArchiveLimits) {
    self.source = source
    self.limits = limits
  }

  // MARK: The directory

  func readEntries() throws -> [ArchiveEntry] {
    var finder = ZipDirectoryFinder(length: try wholeLength())
    while true {
      switch try finder.next() {
      case .read(let range):
        finder.take(try source.bytes(in: range), at: range.lowerBound)
      case .found(let directory):
        return try entries(of: directory, tail: finder.held(of: directory.range))
      }
    }
  }

  private func entries(of directory: ZipDirectory, tail: ArraySlice<UInt8>) throws -> [ArchiveEntry] {
    try limits.check(indexBytes: Int64(directory.range.count))
    try limits.check(members: directory.members)
    let rest = directory.range.lowerBound..<(directory.range.upperBound - Int64(tail.count))
    if rest.isEmpty {
      return try tail.withUnsafeBytes { try ZipDirectoryParser.entries($0, of: directory, limits: limits) }
    }
    var bytes = try source.bytes(in: rest, reserving: tail.count)
    bytes.append(contentsOf: tail)
    return try bytes.withUnsafeBytes { try ZipDirectoryParser.entries($0, of: directory, limits: limits) }
  }

  /// The source's length, which one that does not know it beforehand tells when it was read to its end.
  private func wholeLength() throws -> Int64 {
    if let length = source.length { return length }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var position: Int64 = 0
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: position) }
      position += Int64(count)
      if count < buffer.count { return position }
    }
  }

  // MARK: Members

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    guard case .zip(let position, let compressedSize, let method, let flags) = entry.location, let size = entry.size,
      size >= 0, compressedSize >= 0, position >= 0
    else { throw ArchiveError.unsupported("what is no file of a zip archive") }
    try limits.check(memberSize: size, compressedSize: compressedSize)
    guard flags & (ZipFlags.strongEncryption | ZipFlags.maskedHeader | ZipFlags.compressedPatch) == 0 else {
      throw ArchiveError.unsupported("PKWARE's strong encryption, or a patch")
    }
    let isEncrypted = flags & ZipFlags.encrypted != 0
    if isEncrypted, password == nil { throw ArchiveError.passwordRequired }

    var firstBytes = min(compressedSize, Self.maximumFirstRead)
    if offset > 0, method == ZipMethod.stored, !isEncrypted, firstBytes > Self.maximumFirstReadOfRange {
      firstBytes = 0
    }
    let (header, first) = try readHeader(of: entry, method: method, flags: flags, source: source, and: firstBytes)
    let (start, overflow) = position.addingReportingOverflow(Int64(header.size))
    let (end, endOverflow) = start.addingReportingOverflow(compressedSize)
    guard !overflow, !endOverflow, end <= source.length ?? .max else {
      throw ArchiveError.damaged("its \(compressedSize) bytes reach beyond the archive's end")
    }
    let bytes = ZipPackedBytes(source: source, range: start..<end, held: first.dropFirst(header.size))
    if isEncrypted, method != ZipMethod.aes, let password {
      // The byte that tells a wrong password is of the time where the checksum was not known yet (Info-ZIP).
      let check =
        header.flags & ZipFlags.hasDataDescriptor != 0
        ? UInt8(truncatingIfNeeded: header.dosTime >> 8) : UInt8(truncatingIfNeeded: (entry.checksum ?? 0) >> 24)
      try bytes.decrypt(with: password, check: check)
    }
    let body = try self.body(
      of: entry, size: size, header: header, bytes: bytes, from: max(offset, 0), password: password)
    // A wrong password passes the check of one byte once in 256 times.
    return isEncrypted ? ZipDecryptedBody(body) : body
  }

  /// Reads the target of a symbolic link, which is its content.
  func readLinkTarget(of entry: ArchiveEntry, source: any ByteSource, password: [UInt8]?) throws -> [UInt8] {
    guard let size = entry.size, size > 0, size <= Self.maximumLinkTarget else {
      throw ArchiveError.damaged("a symbolic link with a target of \(entry.size ?? 0) bytes")
    }
    let body = try open(entry, from: 0, source: source, password: password)
    // One byte more than there is room for would be noticed by the body itself.
    var target = [UInt8](repeating: 0, count: Int(size))
    var filled = 0
    while filled < target.count {
      let count = try target.withUnsafeMutableBytes {
        try body.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      guard count > 0 else { throw ArchiveError.damaged("a symbolic link whose target ends too early") }
      filled += count
    }
    return target
  }

  /// Reads a member's local header, and with the same read the first of its data.
  /// - Returns: the header, and all bytes that were read, from the header's first.
  private func readHeader(
    of entry: ArchiveEntry, method: UInt16, flags: UInt16, source: any ByteSource, and dataBytes: Int64
  ) throws -> (ZipLocalHeader, [UInt8]) {
    guard case .zip(let position, _, _, _) = entry.location else {
      throw ArchiveError.unsupported("what is no file of a zip archive")
    }
    let least = ZipExtents.localHeaderSize + Int64(entry.path.count + Self.usualExtraSize)
    let available = (source.length ?? .max) - position
    let wanted = min(least + dataBytes, available)
    guard wanted >= ZipExtents.localHeaderSize, position <= .max - wanted else {
      throw ArchiveError.damaged("its local header, at \(position), is beyond the archive's end")
    }
    var bytes = try source.bytes(in: position..<(position + wanted), allowsLess: true)
    guard let size = bytes.withUnsafeBytes(ZipLocalHeader.size) else {
      throw ArchiveError.damaged("there is no local header at \(position), where its directory says")
    }
    if size > bytes.count {
      let start = position + Int64(bytes.count)
      guard start <= .max - Int64(size) else {
        throw ArchiveError.damaged("its local header is beyond the archive's end")
      }
      bytes += try source.bytes(in: start..<(position + Int64(size)))
    }
    let header = try bytes.withUnsafeBytes { try ZipLocalHeader($0, of: entry, method: method, flags: flags) }
    return (header, bytes)
  }

  private func body(
    of entry: ArchiveEntry, size: Int64, header: ZipLocalHeader, bytes: ZipPackedBytes, from offset: Int64,
    password: [UInt8]?
  ) throws -> any MemberBody {
    let isAES = header.method == ZipMethod.aes
    let isDecrypted = header.flags & ZipFlags.encrypted != 0 && !isAES
    // That of no bytes is 0, and neither a loop over them nor libarchive would come to look at it.
    if size == 0, let checksum = entry.checksum, checksum != 0 { throw ArchiveError.damaged("its checksum is wrong") }
    if header.method == ZipMethod.stored {
      guard bytes.remaining == size else {
        throw ArchiveError.damaged("it is stored with \(bytes.remaining) bytes, where its directory says \(size)")
      }
      return ZipStoredBody(bytes, from: min(offset, size), checksum: entry.checksum, canSkip: !isDecrypted)
    }
    let method = isAES ? header.aes?.method : header.method
    guard let method else { throw ArchiveError.damaged("it is encrypted with AES, but does not say how") }
    guard isAES ? ZipMethod.decryptable.contains(method) : ZipMethod.decodable.contains(method) else {
      let name = ZipMethod.name(method)
      throw ArchiveError.unsupported(isAES ? "\(name) under AES in a zip archive" : "zip's packing method \(name)")
    }
    // Version 2 has no checksum but an authentication code, so that who changes the version gets around both.
    if let aes = header.aes, isAES, (aes.version == 2) != (entry.checksum == nil) {
      throw ArchiveError.damaged("its directory and its local header have different versions of AES")
    }
    // Some tools say so of what has nothing to be packed; and libarchive takes LZMA of nothing for damaged.
    if size == 0, bytes.remaining == 0 || method == ZipMethod.lzma, entry.checksum == 0 { return ZipEmptyBody() }
    let virtual = ZipVirtualHeader(
      method: header.method, flags: isDecrypted ? header.flags & ~ZipFlags.encrypted : header.flags,
      dosTime: header.dosTime, dosDate: header.dosDate, checksum: entry.checksum ?? 0, compressedSize: bytes.remaining,
      size: size, aes: header.aes)
    return try ZipDecodedBody(bytes, header: virtual, from: offset, password: isAES ? password : nil)
  }
}
