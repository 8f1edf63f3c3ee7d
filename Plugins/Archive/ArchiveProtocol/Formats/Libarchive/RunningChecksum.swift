import URLLoadingCZlib

/// The CRC-32 of bytes that come one after another.
struct RunningChecksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, 1 << 30)
      value = UInt32(
        truncatingIfNeeded: crc32(UInt(value), rest.baseAddress?.assumingMemoryBound(to: Bytef.self), uInt(count)))
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Fails unless the bytes have the checksum that is expected, if one is.
  func check(_ expected: UInt32?) throws {
    guard let expected, expected != value else { return }
    throw ArchiveError.damaged("the member's bytes have another checksum than the archive says")
  }
}
