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
      // The system puts letters in the place of the last six (mkstemp(3)).
      var template = Array("\(directory)/archive-XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      if descriptor >= 0 {
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
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
