internal import URLLoadingCZlib

/// The CRC-32 of bytes that come one after another.
struct RunningChecksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // Without bytes zlib returns its initial value.
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
  }

  /// Fails unless the bytes have the checksum that is expected, if one is.
  func check(_ expected: UInt32?) throws {
    guard let expected, expected != value else { return }
    throw ArchiveError.damaged("the member's bytes have another checksum than the archive says")
  }
}
