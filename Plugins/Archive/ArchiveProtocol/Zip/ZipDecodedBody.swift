import URLLoadingCArchive
import URLLoadingCZlib

/// A member that libarchive unpacks, from an archive that has nothing else.
///
/// Used by one thread at a time.
final class ZipDecodedBody: MemberBody {
  private let archive: OpaquePointer
  private let input: ZipDecoderInput
  private let size: Int64
  /// How many decoded bytes libarchive gave so far.
  private var decoded: Int64 = 0
  private var toDiscard: Int64
  /// What of libarchive's last block is not taken yet; it is valid until the next call to libarchive.
  private var block: UnsafeRawBufferPointer = .init(start: nil, count: 0)
  private var isAtEnd = false
  private var failure: (any Error)?
  private let expectedChecksum: UInt32
  /// The checksum of what was decoded, where it cannot be left to libarchive: version 3.6 takes a Zstandard member whose last
  /// block fills its buffer of 128 KiB for cut off, after it gave all of the bytes.
  private var checksum: UInt?

  init(
    _ bytes: ZipPackedBytes, header: ZipVirtualHeader, from offset: Int64, password: [UInt8]?
  ) throws {
    guard let archive = archive_read_new() else {
      throw ArchiveError.unsupported("there is no memory for libarchive")
    }
    self.archive = archive
    input = ZipDecoderInput(header: header.bytes(), bytes: bytes, end: header.endBytes())
    size = header.size
    toDiscard = offset
    expectedChecksum = header.checksum
    checksum = header.method == ZipMethod.zstandard && size % (128 << 10) == 0 ? 0 : nil
    var result = archive_read_support_format_zip_streamable(archive)
    if result == ARCHIVE_OK, let password {
      // libarchive takes it as a C string.
      guard !password.isEmpty, !password.contains(0) else { throw ArchiveError.wrongPassword }
      result = (password.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
        archive_read_add_passphrase(archive, $0.baseAddress)
      }
    }
    // `input` outlives the archive: both are released with this object, the archive first.
    let context = Unmanaged.passUnretained(input).toOpaque()
    if result == ARCHIVE_OK {
      result = archive_read_open(
        archive, context, nil,
        { _, context, block in
          guard let context, let block else { return -1 }
          return Unmanaged<ZipDecoderInput>.fromOpaque(context).takeUnretainedValue().next(block)
        }, nil)
    }
    var entry: OpaquePointer?
    if result == ARCHIVE_OK { result = archive_read_next_header(archive, &entry) }
    guard result == ARCHIVE_OK else { throw error() }
  }

  deinit { archive_read_free(archive) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let failure { throw failure }
    do {
      return try take(buffer)
    } catch {
      failure = error
      throw error
    }
  }

  private func take(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var taken = 0
    while taken < buffer.count {
      if block.isEmpty {
        guard try nextBlock() else { break }
        let discarded = Int(min(toDiscard, Int64(block.count)))
        toDiscard -= Int64(discarded)
        block = UnsafeRawBufferPointer(rebasing: block[discarded...])
        continue
      }
      let count = min(buffer.count - taken, block.count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[taken...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: block[..<count]))
      block = UnsafeRawBufferPointer(rebasing: block[count...])
      taken += count
    }
    // The end is looked at as soon as the last byte is there, so that a wrong checksum does not come behind whole bytes.
    if decoded == size, block.isEmpty, !isAtEnd { _ = try nextBlock() }
    return taken
  }

  /// Gets the next bytes from libarchive.
  /// - Returns: false at the end, which is where the directory says, and with the right checksum.
  private func nextBlock() throws -> Bool {
    guard !isAtEnd else { return false }
    var start: UnsafeRawPointer?
    var count = 0
    var position: la_int64_t = 0
    // An empty block is allowed, and one that comes again and again would be a loop.
    for _ in 0..<1_000 {
      let result = archive_read_data_block(archive, &start, &count, &position)
      if result == ARCHIVE_EOF {
        guard decoded == size else {
          throw ArchiveError.damaged("it unpacks to \(decoded) bytes, where its directory says \(size)")
        }
        isAtEnd = true
        return false
      }
      if result < ARCHIVE_OK, decoded == size, let checksum, UInt32(truncatingIfNeeded: checksum) == expectedChecksum {
        isAtEnd = true
        return false
      }
      // A wrong checksum is a warning to libarchive.
      guard result == ARCHIVE_OK, count >= 0 else { throw error() }
      guard count > 0 else { continue }
      guard Int64(count) <= size - decoded else {
        throw ArchiveError.damaged("it unpacks to more than the \(size) bytes that its directory says")
      }
      decoded += Int64(count)
      block = UnsafeRawBufferPointer(start: start, count: count)
      if let checksum { self.checksum = crc32_z(checksum, block.bindMemory(to: UInt8.self).baseAddress, count) }
      return true
    }
    throw ArchiveError.damaged("its packed bytes lead nowhere")
  }

  /// What went wrong: in the source, else what libarchive says.
  private func error() -> any Error {
    if let failure = input.failure { return failure }
    let text = archive_error_string(archive).map { String(cString: $0) } ?? "libarchive cannot unpack it"
    if text.contains("passphrase") { return ArchiveError.wrongPassword }
    if text.contains("not supported") || text.contains("unsupported") { return ArchiveError.unsupported(text) }
    return ArchiveError.damaged(text)
  }
}
