import Glibc
internal import URLLoadingBase

/// Small files of this machine's users, read as a whole.
enum LocalFile {
  /// Reads a regular file.
  /// - Parameters:
  ///   - largestCount: a larger file is refused.
  ///   - refuse: gives the reason to refuse a file with this status, such as permissions that are too wide.
  static func read(
    _ path: String, largestCount: Int = 16 << 20, refuse: (stat) -> String? = { _ in nil }
  ) throws(Problem) -> [UInt8] {
    // Opening a pipe without a writer would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .system("it cannot be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Problem("it is not a regular file")
    }
    if let reason = refuse(status) { throw Problem(reason) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while status.st_size <= largestCount, bytes.count <= largestCount {
      let count = DescriptorIO.uninterrupted { Glibc.read(descriptor, &chunk, chunk.count) }
      guard count >= 0 else { throw .system("it cannot be read") }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
    throw Problem("it is larger than \(largestCount) bytes")
  }
}
