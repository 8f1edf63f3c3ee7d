@testable import ArchiveProtocol

/// Bytes in memory as a source.
final class MemoryByteSource: ByteSource {
  private let bytes: [UInt8]

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var length: Int64? { Int64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    guard position >= 0, position < bytes.count else { return 0 }
    let rest = bytes[Int(position)...].prefix(buffer.count)
    buffer.copyBytes(from: rest)
    return rest.count
  }

  func cancel() {}
}
