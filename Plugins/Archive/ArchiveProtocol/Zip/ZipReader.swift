/// Reads zip archives by the directory at their end: a member costs its own bytes only.
///
/// The directory does not have the targets of symbolic links: ``readEntries()`` leaves them empty, and
/// ``readLinkTarget(of:source:password:)`` reads them.
struct ZipReader: ArchiveReader {
  /// Bytes of data that are read together with a member's header.
  private static let maximumFirstRead: Int64 = 256 << 10
  /// Of larger members, where only a later part is wanted, the header is read alone.
  private static let maximumFirstReadOfRange: Int64 = 16 << 10
  /// Bytes: enough for the extra fields that tools usually write into local headers.
  private static let usualExtraSize = 128
  /// Bytes that libarchive gets at a time.
  private static let smallestBlock: Int64 = 1 << 10
  private static let largestBlock: Int64 = 512 << 10
  /// Linux has no longer paths (PATH_MAX).
  static let maximumLinkTarget: Int64 = 4096

  let formatName = "zip"
  let source: any ByteSource
  var limits = ArchiveConfiguration()

  // MARK: The directory

  func readEntries() throws -> [ArchiveEntry] {
    let finder = try ZipDirectoryFinder(source)
    let directory = try finder.find()
    try limits.check(indexBytes: Int64(directory.range.count))
    try limits.check(members: directory.members)
    return try finder.bytes(in: directory.range).withUnsafeBytes {
      try ZipDirectoryParser.entries($0, of: directory, limits: limits)
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
    let (header, first) = try readHeader(
      of: entry, at: position, method: method, flags: flags, source: source, and: firstBytes)
    let (start, overflow) = position.addingReportingOverflow(Int64(header.size))
    let (end, endOverflow) = start.addingReportingOverflow(compressedSize)
    guard !overflow, !endOverflow, end <= source.length ?? .max else {
      throw ArchiveError.damaged("its \(compressedSize) bytes reach beyond the archive's end")
    }
    let bytes = ZipPackedBytes(source: source, range: start..<end, known: first.dropFirst(header.size))
    if isEncrypted, method != ZipMethod.aes, let password {
      // The check byte is of the time where the checksum was not known yet (Info-ZIP).
      let check =
        header.flags & ZipFlags.hasDataDescriptor != 0
        ? UInt8(truncatingIfNeeded: header.dosTime >> 8) : UInt8(truncatingIfNeeded: (entry.checksum ?? 0) >> 24)
      try bytes.decrypt(with: password, check: check)
    }
    let body = try self.body(
      of: entry, size: size, header: header, bytes: bytes, from: max(offset, 0), password: password)
    // One of 256 wrong passwords passes the check byte.
    return isEncrypted ? ZipDecryptedBody(body) : body
  }

  /// Reads the target of a symbolic link, which is its content.
  func readLinkTarget(of entry: ArchiveEntry, source: any ByteSource, password: [UInt8]?) throws -> [UInt8] {
    guard let size = entry.size, size > 0, size <= Self.maximumLinkTarget else {
      throw ArchiveError.damaged("a symbolic link with a target of \(entry.size ?? 0) bytes")
    }
    let body = try open(entry, from: 0, source: source, password: password)
    var target = [UInt8](repeating: 0, count: Int(size))
    guard try target.withUnsafeMutableBytes({ try body.read(into: $0) }) == target.count else {
      throw ArchiveError.damaged("a symbolic link whose target ends too early")
    }
    return target
  }

  /// Reads a member's local header, and with the same read the first of its data.
  /// - Returns: the header, and all bytes that were read, from the header's first.
  private func readHeader(
    of entry: ArchiveEntry, at position: Int64, method: UInt16, flags: UInt16, source: any ByteSource,
    and dataBytes: Int64
  ) throws -> (ZipLocalHeader, [UInt8]) {
    let least = ZipExtents.localHeaderSize + Int64(entry.path.count + Self.usualExtraSize)
    let available = (source.length ?? .max) - position
    let wanted = min(least + dataBytes, available)
    guard wanted >= ZipExtents.localHeaderSize, position <= .max - max(wanted, ZipLocalHeader.maximumSize) else {
      throw ArchiveError.damaged("its local header, at \(position), is beyond the archive's end")
    }
    var bytes = try source.bytes(at: position, count: Int(wanted))
    guard let size = bytes.withUnsafeBytes(ZipLocalHeader.size) else {
      throw ArchiveError.damaged("there is no local header at \(position), where its directory says")
    }
    if size > bytes.count {
      bytes += try source.bytes(in: (position + Int64(bytes.count))..<(position + Int64(size)))
    }
    let header = try bytes.withUnsafeBytes { try ZipLocalHeader($0, of: entry, method: method, flags: flags) }
    return (header, bytes)
  }

  private func body(
    of entry: ArchiveEntry, size: Int64, header: ZipLocalHeader, bytes: ZipPackedBytes, from offset: Int64,
    password: [UInt8]?
  ) throws -> any MemberBody {
    let isAES = header.method == ZipMethod.aes
    // Not checked below: there are no bytes to read.
    if size == 0, let checksum = entry.checksum, checksum != 0 { throw ArchiveError.damaged("its checksum is wrong") }
    if header.method == ZipMethod.stored {
      guard bytes.remaining == size else {
        throw ArchiveError.damaged("it is stored with \(bytes.remaining) bytes, where its directory says \(size)")
      }
      return ZipStoredBody(
        bytes, from: min(offset, size), checksum: entry.checksum, canSkip: header.flags & ZipFlags.encrypted == 0)
    }
    let method = isAES ? header.aes?.method : header.method
    guard let method else { throw ArchiveError.damaged("it is encrypted with AES, but does not say how") }
    guard isAES ? ZipMethod.decryptable.contains(method) : ZipMethod.decodable.contains(method) else {
      let name = ZipMethod.name(method)
      throw ArchiveError.unsupported(isAES ? "\(name) under AES in a zip archive" : "zip's packing method \(name)")
    }
    // Version 2 has an authentication code instead of a checksum; a changed version would skip both checks.
    if let aes = header.aes, isAES, (aes.version == 2) != (entry.checksum == nil) {
      throw ArchiveError.damaged("its directory and its local header have different versions of AES")
    }
    // Some tools write a method for members without bytes; libarchive 3.6 takes LZMA of nothing for damaged.
    if size == 0, bytes.remaining == 0 || method == ZipMethod.lzma, entry.checksum == 0 {
      return PlainBody(source: source, position: 0, size: 0, offset: 0)
    }
    let virtual = ZipVirtualHeader(
      local: header, checksum: entry.checksum ?? 0, compressedSize: bytes.remaining, size: size)
    let block = Int(min(max(bytes.remaining, Self.smallestBlock), Self.largestBlock))
    let feed = LibarchiveFeed(ZipMemberOrigin(virtual, bytes), blocks: .init(smallest: block, largest: block))
    let handle = try LibarchiveHandle(feed, format: .zip, password: isAES ? password : nil)
    guard try handle.nextHeader() != nil else { throw ArchiveError.damaged("libarchive finds no member") }
    // libarchive 3.6 takes a Zstandard member whose last block fills its buffer of 128 KiB for cut off, after it gave all bytes.
    let canEndWithError = method == ZipMethod.zstandard && size % (128 << 10) == 0
    return BlockBody(
      handle, size: size, checksum: canEndWithError ? virtual.checksum : nil, offset: offset, limits: nil,
      canEndWithError: canEndWithError)
  }
}
