import Foundation
import URLLoadingBase

@testable import ArchiveProtocol

/// Bytes in memory as a source, which counts what is read of it, and may know its length only once it was read to its end.
///
/// Mutable state: ``reads``, guarded by a lock.
final class MemoryByteSource: ByteSource {
  let cancellation = Cancellation()
  private let bytes: [UInt8]
  private let tellsLength: Bool
  private let ranges = Locked<[Range<Int64>]>([])

  init(_ bytes: some Sequence<UInt8>, tellsLength: Bool = true) {
    self.bytes = Array(bytes)
    self.tellsLength = tellsLength
  }

  var length: Int64? {
    let isKnown = tellsLength || reads.contains { $0.upperBound == bytes.count }
    return isKnown ? Int64(bytes.count) : nil
  }

  /// The ranges that were asked for, as far as they were there.
  var reads: [Range<Int64>] { ranges.withLock { $0 } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let start = Int(min(position, Int64(bytes.count)))
    let count = min(buffer.count, bytes.count - start)
    try checkCancellation()
    ranges.withLock { $0.append(Int64(start)..<Int64(start + count)) }
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
    return count
  }
}
