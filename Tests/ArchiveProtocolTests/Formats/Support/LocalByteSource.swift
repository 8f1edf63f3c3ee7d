import Foundation
import Glibc
import URLLoadingTestServers

@testable import ArchiveProtocol

/// A file as a source.
// Safe to share: the descriptor does not change, and pread has no position.
final class LocalByteSource: ByteSource {
  let cancellation = Cancellation()
  private let descriptor: Int32
  let length: Int64?

  init(_ file: URL) throws {
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestServerError.system("open \(file.path)") }
    var status = stat()
    fstat(descriptor, &status)
    length = Int64(status.st_size)
  }

  deinit {
    close(descriptor)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let count = pread(descriptor, start + filled, buffer.count - filled, off_t(position &+ Int64(filled)))
      if count <= 0 { break }
      filled += count
    }
    return filled
  }
}
