internal import URLLoadingCArchive

/// One reader of libarchive over a feed. Freed with this object.
///
/// Used by one thread at a time.
final class LibarchiveHandle {
  /// Some of a member's bytes, valid until the next call, and their position in the member.
  struct Block {
    let bytes: UnsafeRawBufferPointer
    let offset: Int64
  }

  let feed: LibarchiveFeed
  /// Nothing more can be read.
  private(set) var isBroken = false
  /// Where the last block ended in its member.
  private var blockEnd: Int64 = 0
  private let archive: OpaquePointer

  /// - Parameters:
  ///   - format: the only format that is tried; nil for the plain output of `filter`.
  ///   - filter: the only filter, which is not guessed but applied.
  ///   - password: for a zip member that is encrypted by AES.
  init(
    _ feed: LibarchiveFeed, format: ArchiveFormat?, filter: CompressionFilter? = nil, password: [UInt8]? = nil
  ) throws {
    guard let archive = archive_read_new() else { throw ArchiveError.unsupported("no memory for a reader") }
    self.archive = archive
    self.feed = feed
    try check(Self.enable(format, in: archive))
    if let filter, let code = filter.libarchiveCode { try check(archive_read_append_filter(archive, code)) }
    if let password {
      // libarchive takes a C string.
      guard !password.isEmpty, !password.contains(0) else { throw ArchiveError.wrongPassword }
      try check(
        (password + [0]).withUnsafeBytes {
          archive_read_add_passphrase(archive, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
        })
    }
    archive_read_set_read_callback(archive) { _, feed, block in
      guard let bytes = LibarchiveHandle.feed(feed)?.nextBlock() else { return Int(ARCHIVE_FATAL) }
      block?.pointee = bytes.baseAddress
      return bytes.count
    }
    if feed.origin.isSeekable {
      archive_read_set_skip_callback(archive) { _, feed, count in
        LibarchiveHandle.feed(feed)?.skip(count) ?? Int64(ARCHIVE_FATAL)
      }
      archive_read_set_seek_callback(archive) { _, feed, offset, whence in
        LibarchiveHandle.feed(feed)?.seek(offset, whence: whence) ?? Int64(ARCHIVE_FATAL)
      }
    }
    // libarchive 3.6 crashes when it opens a reader without callback data. The feed lives as long as this object.
    archive_read_set_callback_data(archive, Unmanaged.passUnretained(feed).toOpaque())
    try check(CharacterLocale.withUTF8 { archive_read_open1(archive) })
    // libarchive 3.6 takes a stream that fails before its first byte for an empty one, and the next call clears the error.
    if format == nil, hasError { throw fail() }
  }

  deinit {
    archive_read_free(archive)
  }

  /// The next member's header; nil at the end. Valid until the next call.
  func nextHeader() throws -> OpaquePointer? {
    var entry: OpaquePointer?
    let status = CharacterLocale.withUTF8 { archive_read_next_header(archive, &entry) }
    blockEnd = 0
    switch status {
    case ARCHIVE_OK: return entry
    case ARCHIVE_EOF: return nil
    // A name that is not UTF-8, which libarchive gives as bytes.
    case ARCHIVE_WARN where message.contains("convert"): return entry
    default: throw fail()
    }
  }

  /// Some bytes of the member; nil at its end, where libarchive has verified it.
  func nextBlock() throws -> Block? {
    // Some readers give empty blocks in between, and some of them without end for damaged data.
    for _ in 0..<4096 {
      var start: UnsafeRawPointer?
      var count = 0
      var offset: Int64 = 0
      let status = CharacterLocale.withUTF8 { archive_read_data_block(archive, &start, &count, &offset) }
      switch status {
      case ARCHIVE_OK where count == 0 && offset <= blockEnd: continue
      case ARCHIVE_OK:
        blockEnd = offset &+ Int64(count)
        return Block(bytes: UnsafeRawBufferPointer(start: start, count: count), offset: offset)
      case ARCHIVE_EOF: return nil
      default: throw fail()
      }
    }
    isBroken = true
    throw ArchiveError.damaged("a member's data does not come to an end")
  }

  /// The position of the last header.
  var headerPosition: Int64 { archive_read_header_position(archive) }
  /// The bytes of input that the format's reader has consumed.
  var consumedCount: Int64 { archive_filter_bytes(archive, 0) }
  /// The bytes of packed input that the filter has consumed.
  var packedConsumedCount: Int64 { archive_filter_bytes(archive, -1) }
  private var hasError: Bool { archive_errno(archive) != 0 }
  private var message: String { archive_error_string(archive).map { String(cString: $0) } ?? "no reason is known" }

  private func check(_ status: Int32) throws {
    if status != ARCHIVE_OK { throw fail() }
  }

  private func fail() -> any Error {
    isBroken = true
    if let failure = feed.failure { return failure }
    let message = message
    let lowercased = message.lowercased()
    if lowercased.contains("passphrase") { return ArchiveError.wrongPassword }
    let unsupported = ["not supported", "unsupported", "unavailable", "encrypt", "crypto"]
    if unsupported.contains(where: lowercased.contains) { return ArchiveError.unsupported(message) }
    return ArchiveError.damaged(message)
  }

  private static func feed(_ pointer: UnsafeMutableRawPointer?) -> LibarchiveFeed? {
    pointer.map { Unmanaged<LibarchiveFeed>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Enables one format, never all: some readers of libarchive run programs, or read local files that the archive names.
  private static func enable(_ format: ArchiveFormat?, in archive: OpaquePointer) -> Int32 {
    switch format {
    case nil:
      // The raw format refuses an empty stream.
      let status = archive_read_support_format_empty(archive)
      return status == ARCHIVE_OK ? archive_read_support_format_raw(archive) : status
    case .zip: return archive_read_support_format_zip_streamable(archive)
    case .tar: return archive_read_support_format_tar(archive)
    case .cpio: return archive_read_support_format_cpio(archive)
    case .ar: return archive_read_support_format_ar(archive)
    case .sevenZip: return archive_read_support_format_7zip(archive)
    case .iso9660: return archive_read_support_format_iso9660(archive)
    case .cab: return archive_read_support_format_cab(archive)
    case .lha: return archive_read_support_format_lha(archive)
    case .rar: return archive_read_support_format_rar(archive)
    case .rar5: return archive_read_support_format_rar5(archive)
    case .xar: return archive_read_support_format_xar(archive)
    case .warc: return archive_read_support_format_warc(archive)
    }
  }
}

extension CompressionFilter {
  /// libarchive's number for the filter. Nil for gzip: libarchive 3.6 does not check its CRC.
  fileprivate var libarchiveCode: Int32? {
    switch self {
    case .gzip: nil
    case .bzip2: ARCHIVE_FILTER_BZIP2
    case .xz: ARCHIVE_FILTER_XZ
    case .lzma: ARCHIVE_FILTER_LZMA
    case .zstd: ARCHIVE_FILTER_ZSTD
    case .lz4: ARCHIVE_FILTER_LZ4
    }
  }
}
