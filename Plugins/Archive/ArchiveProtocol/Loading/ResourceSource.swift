import Foundation
import URLLoading
internal import URLLoadingBase

/// The bytes of an archive that any registered protocol loads.
///
/// Mutable state: `isCancelled`, guarded by its lock.
final class ResourceSource: ByteSource {
  private let reader: RandomAccessReader
  private let isCancelled = Locked(false)

  init(_ resource: RandomAccessResource) {
    reader = resource.makeReader()
  }

  var length: Int64? { reader.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    guard !buffer.isEmpty else {
      if isCancelled.withLock({ $0 }) { throw ArchiveError.cancelled }
      return 0
    }
    return try reader.read(into: buffer, at: position)
  }

  func cancel() {
    isCancelled.withLock { $0 = true }
    reader.cancel()
  }
}
