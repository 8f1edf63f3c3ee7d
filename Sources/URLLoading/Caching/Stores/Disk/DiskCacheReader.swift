import Foundation

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
    guard descriptor >= 0, fstat(descriptor, &status) == 0, Int64(status.st_size) == length else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let count = pread(descriptor, start + filled, buffer.count - filled, off_t(position + Int64(filled)))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(errorDescription: String(cString: strerror(errno))) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
