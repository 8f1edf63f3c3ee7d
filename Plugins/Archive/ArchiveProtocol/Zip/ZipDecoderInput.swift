import URLLoadingCArchive

/// What libarchive reads: the header of the archive of one member, its packed bytes, and the archive's end.
///
/// Used by the thread that calls libarchive.
final class ZipDecoderInput {
  /// Large enough that neither calls nor requests count.
  private static let maximumBlock: Int64 = 512 << 10

  private let header: UnsafeMutableRawBufferPointer
  private let block: UnsafeMutableRawBufferPointer
  private let end: [UInt8]
  private let bytes: ZipPackedBytes
  private var isHeaderGiven = false
  private var isEndGiven = false
  /// What the source failed with. libarchive only learns that it did.
  private(set) var failure: (any Error)?

  init(header: [UInt8], bytes: ZipPackedBytes, end: [UInt8]) {
    self.bytes = bytes
    self.end = end
    // libarchive keeps pointers into what it was given last: neither may move.
    self.header = .allocate(byteCount: header.count, alignment: 1)
    self.header.copyBytes(from: header)
    block = .allocate(byteCount: max(Int(min(bytes.remaining, Self.maximumBlock)), end.count), alignment: 16)
  }

  deinit {
    header.deallocate()
    block.deallocate()
  }

  /// libarchive's read callback.
  func next(_ result: UnsafeMutablePointer<UnsafeRawPointer?>) -> la_ssize_t {
    guard isHeaderGiven else {
      isHeaderGiven = true
      result.pointee = UnsafeRawPointer(header.baseAddress)
      return header.count
    }
    guard failure == nil else { return -1 }
    do {
      result.pointee = UnsafeRawPointer(block.baseAddress)
      let count = try bytes.read(into: block)
      guard count == 0, !isEndGiven else { return count }
      isEndGiven = true
      block.copyBytes(from: end)
      return end.count
    } catch {
      failure = error
      return -1
    }
  }
}
