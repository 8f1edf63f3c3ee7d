import Glibc

/// Calls on file descriptors. Reading and writing is continued where a signal interrupts it (`EINTR`), or where only a part was
/// transferred; after a failure `errno` is that of the last call.
package enum DescriptorIO {
  /// Repeats a call as long as signals interrupt it.
  package static func uninterrupted(_ call: () -> Int) -> Int {
    var result = call()
    while result < 0, errno == EINTR { result = call() }
    return result
  }

  /// Writes all bytes.
  /// - Parameter position: where in the file; nil for the position of the descriptor.
  /// - Returns: false where that failed; some of the bytes may have been written.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at position: Int64? = nil
  ) -> Bool {
    var written = 0
    while written < bytes.count {
      let (start, rest) = (bytes.baseAddress?.advanced(by: written), bytes.count - written)
      let count = uninterrupted {
        guard let position else { return Glibc.write(descriptor, start, rest) }
        return pwrite(descriptor, start, rest, off_t(position) + off_t(written))
      }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Reads until the buffer is full or the file ends.
  /// - Returns: how many bytes were read; -1 for a failure.
  package static func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at position: Int64
  ) -> Int {
    var filled = 0
    while filled < buffer.count {
      let (start, rest) = (buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      let count = uninterrupted { pread(descriptor, start, rest, off_t(position) + off_t(filled)) }
      guard count >= 0 else { return -1 }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Whether a path still leads to an open file. Does not follow a symbolic link at its end.
  package static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (open, named) = (stat(), stat())
    return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
      && open.st_dev == named.st_dev
  }
}
