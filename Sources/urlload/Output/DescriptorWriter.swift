import Foundation

/// Writes to file descriptors, whole.
enum DescriptorWriter {
  /// Writes all bytes, and waits where the descriptor is slow.
  /// - Throws: `POSIXError`.
  static func write(_ data: some ContiguousBytes, to descriptor: Int32) throws {
    try data.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // Somebody else made the other end of our standard output non-blocking.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wait, 1, -1)
        } else if errno != EINTR {
          throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
      }
    }
  }
}
