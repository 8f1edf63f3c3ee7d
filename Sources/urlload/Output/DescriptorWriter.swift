import Foundation
internal import URLLoadingBase

/// Writes to file descriptors, whole.
enum DescriptorWriter {
  /// Writes all bytes, and waits where the descriptor is slow.
  /// - Parameters:
  ///   - position: where in the file, whose own position stays; nil for that.
  ///   - label: what the descriptor is, for messages.
  static func write(
    _ data: some ContiguousBytes, to descriptor: Int32, at position: Int64? = nil, _ label: String
  ) throws(Failure) {
    let code = data.withUnsafeBytes { buffer -> Int32 in
      var done = 0
      while done < buffer.count {
        let (start, rest) = (buffer.baseAddress?.advanced(by: done), buffer.count - done)
        let count =
          position.map { pwrite(descriptor, start, rest, off_t($0) + off_t(done)) }
          ?? Glibc.write(descriptor, start, rest)
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

  /// Writes all that is to be read from another descriptor.
  /// - Parameters:
  ///   - path: what is read, for messages.
  ///   - label: what is written, for messages.
  static func copy(from source: Int32, _ path: String, to target: Int32, _ label: String) throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = DescriptorIO.uninterrupted { read(source, &buffer, buffer.count) }
      guard count >= 0 else { throw Failure(reading: path, errno) }
      if count == 0 { return }
      try write(buffer[..<count], to: target, label)
    }
  }

  /// Reports the errors of a close, and leaves the descriptor open.
  static func checkClose(_ descriptor: Int32, _ label: String) throws(Failure) {
    // Some file systems write when a descriptor is closed, and tell only then that they cannot.
    let copy = dup(descriptor)
    guard copy >= 0, close(copy) == 0 else { throw Failure(writing: label, errno) }
  }
}
