import Foundation
import Glibc
import URLLoadingBase
import URLLoadingTestServers

@testable import ArchiveProtocol

/// A file as a source, which counts the bytes that are read of it.
///
/// Mutable state: the count, guarded by a lock.
final class FileByteSource: ByteSource {
  let cancellation = Cancellation()
  private let descriptor: Int32
  private let size: Int64
  private let count = Locked<Int64>(0)

  init(_ file: URL) throws {
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestServerError("cannot open \(file.path)") }
    var status = stat()
    fstat(descriptor, &status)
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  var length: Int64? { size }
  var bytesRead: Int64 { count.withLock { $0 } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let read = pread(descriptor, rest.baseAddress, rest.count, Int(position) + filled)
      guard read >= 0 else { throw TestServerError("pread failed") }
      if read == 0 { break }
      filled += read
    }
    count.withLock { $0 += Int64(filled) }
    return filled
  }
}
