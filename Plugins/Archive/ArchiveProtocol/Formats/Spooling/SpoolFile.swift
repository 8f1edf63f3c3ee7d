import Glibc

/// A temporary file without a name: nobody finds it, and it is gone with this object, or with the process.
///
/// Its mutable state is the file; reads and writes at positions may come from any thread.
final class SpoolFile: Sendable {
  /// `O_TMPFILE` of Linux, which glibc's module does not have.
  private static let withoutName = 0o20_000_000 | O_DIRECTORY

  private let descriptor: Int32
  private let directory: String

  init(directory: String) throws {
    self.directory = directory
    var descriptor = Glibc.open(directory, Self.withoutName | O_RDWR | O_CLOEXEC, 0o600)
    // Not every file system can do that.
    if descriptor < 0 {
      // mkstemp(3) would leave it to children of the process for a moment.
      let path = "\(directory)/archive-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
      descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0o600)
      if descriptor >= 0 { unlink(path) }
    }
    guard descriptor >= 0 else { throw Self.error("A temporary file cannot be made in \(directory)") }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws {
    var rest = bytes
    var position = position
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = pwrite(descriptor, start, rest.count, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.error("A temporary file in \(directory) cannot be written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      position += Int64(count)
    }
  }

  /// Reads until `buffer` is full or the file ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let count = pread(descriptor, start + filled, buffer.count - filled, off_t(position + Int64(filled)))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.error("A temporary file in \(directory) cannot be read") }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  private static func error(_ what: String) -> any Error {
    let code = errno
    return SpoolError(code: code, description: "\(what): \(String(cString: strerror(code)))")
  }
}
