import Foundation

/// Writes to file descriptors, whole.
enum DescriptorWriter {
  /// Writes all bytes, and waits where the descriptor is slow.
  /// - Parameter label: what the descriptor is, for messages.
  static func write(_ data: some ContiguousBytes, to descriptor: Int32, _ label: String) throws(Failure) {
    let code = data.withUnsafeBytes { buffer -> Int32 in
      var done = 0
      while done < buffer.count {
        let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // Another process may have made the descriptor non-blocking.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wait, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
    guard code == 0 else { throw Failure(writing: label, code) }
  }
}
