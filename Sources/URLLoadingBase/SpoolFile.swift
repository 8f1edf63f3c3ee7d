import Foundation

/// A temporary file without a name: nobody else can open it, and it is gone with this object or with the process.
///
/// Mutable state: the file, which may be read and written at any position from any thread.
package final class SpoolFile: Sendable {
  /// Why the file could not be made, written or read.
  package struct Failure: LocalizedError, Hashable {
    /// As of `errno`.
    package let code: Int32
    package let errorDescription: String?

    /// Bytes that were written are not there any more.
    package static let truncation = Failure(code: EIO, errorDescription: "a temporary file was truncated")
  }

  /// `O_TMPFILE` of Linux, which Swift's Glibc module lacks. `O_EXCL` with it: the file can get no name later.
  private static let unnamed = 0o20_000_000 | O_DIRECTORY | O_EXCL

  private let descriptor: Int32
  private let directory: String

  package init(directory: String) throws(Failure) {
    self.directory = directory
    var descriptor = Glibc.open(directory, Self.unnamed | O_RDWR | O_CLOEXEC, 0o600)
    // Not every file system has O_TMPFILE. mkstemp(3) has no close-on-exec.
    if descriptor < 0 {
      let path = "\(directory)/URLLoading-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
      descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0o600)
      if descriptor >= 0 { unlink(path) }
    }
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw failure("made") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(Failure) {
    guard DescriptorIO.write(bytes, to: descriptor, at: position) else { throw failure("written") }
  }

  /// Reads until `buffer` is full or the file ends.
  /// - Returns: the bytes read.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(Failure) -> Int {
    let count = DescriptorIO.read(into: buffer, from: descriptor, at: position)
    guard count >= 0 else { throw failure("read") }
    return count
  }

  private func failure(_ operation: String) -> Failure {
    let code = errno
    return Failure(
      code: code,
      errorDescription: "a temporary file in \(directory) cannot be \(operation) (\(String(cString: strerror(code))))")
  }
}
