import Foundation

/// Small files of this machine's users, read as a whole.
enum LocalFile {
  /// Why a file was not read.
  struct Unreadable: Error, Hashable {
    let reason: String
    /// There is no such file.
    var isMissing = false
  }

  /// Reads a regular file.
  /// - Parameters:
  ///   - largestCount: a larger file is refused.
  ///   - isPrivate: refuses a file that others could have written, as OpenSSH does with its configuration.
  static func read(
    _ path: String, largestCount: Int = 16 << 20, isPrivate: Bool = false
  ) throws(Unreadable) -> [UInt8] {
    // A pipe without a writer would make open wait.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      throw Unreadable(reason: String(cString: strerror(errno)), isMissing: errno == ENOENT || errno == ENOTDIR)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(reason: "it is not a regular file")
    }
    if isPrivate, ![0, getuid()].contains(status.st_uid) || status.st_mode & 0o022 != 0 {
      throw Unreadable(reason: "others may write to it")
    }
    guard status.st_size <= largestCount else { throw Unreadable(reason: "it is larger than \(largestCount) bytes") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= largestCount else { throw Unreadable(reason: "it is larger than \(largestCount) bytes") }
    }
  }
}
