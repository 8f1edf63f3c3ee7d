import Foundation
import URLLoadingBase

@testable import ArchiveProtocol

/// Bytes in memory as a source, which counts what is read of it.
///
/// Mutable state: ``reads`` and whether it is cancelled, guarded by a lock.
final class MemoryByteSource: ByteSource {
  private let bytes: [UInt8]
  private let tellsLength: Bool
  private let state = Locked<(reads: [Range<Int64>], isCancelled: Bool)>(([], false))

  init(_ bytes: some Sequence<UInt8>, tellsLength: Bool = true) {
    self.bytes = Array(bytes)
    self.tellsLength = tellsLength
  }

  var length: Int64? { tellsLength ? Int64(bytes.count) : nil }

  /// The ranges that were asked for, as far as they were there.
  var reads: [Range<Int64>] { state.withLock { $0.reads } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let start = Int(min(position, Int64(bytes.count)))
    let count = min(buffer.count, bytes.count - start)
    try state.withLock {
      if $0.isCancelled { throw ArchiveError.cancelled }
      $0.reads.append(Int64(start)..<Int64(start + count))
    }
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
    return count
  }

  func cancel() { state.withLock { $0.isCancelled = true } }
}
