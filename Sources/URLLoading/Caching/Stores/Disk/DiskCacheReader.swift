import Foundation
internal import URLLoadingBase

/// Reads a body from its file, which stays readable when its entry goes.
///
/// Mutable state: none; reads name their positions.
final class DiskCacheReader: URLCacheReader {
  /// Why a body could not be read.
  struct Failure: LocalizedError {
    let errorDescription: String?
  }

  let length: Int64
  private let descriptor: Int32

  /// Nil where there is no such file, or it has another length: a torn write.
  init?(path: String, length: Int64) {
    self.length = length
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, Int64(status.st_size) == length else { return nil }
  }

  // Also of one that could not be made.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// All bytes, of a body of at most `BodyMemory.largestBlock`; nil where they cannot be read.
  var whole: Data? {
    guard let block = BodyMemory.shared.take(atLeast: Int(length)) else { return nil }
    let buffer = UnsafeMutableRawBufferPointer(start: block.start, count: Int(length))
    guard let count = try? read(into: buffer, at: 0), count == buffer.count else {
      BodyMemory.shared.recycle(block)
      return nil
    }
    return BodyMemory.shared.data(block, count: count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let count = DescriptorIO.read(into: buffer, from: descriptor, at: position)
    guard count >= 0 else { throw Failure(errorDescription: String(cString: strerror(errno))) }
    return count
  }
}
