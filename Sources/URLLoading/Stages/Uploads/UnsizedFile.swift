internal import URLLoadingBase
internal import URLLoadingCLinux

/// A regular file whose size says nothing of what is in it: the kernel's below `/proc`, of size 0, and below `/sys`, of a page's.
enum UnsizedFile {
  /// What is read of one at once, in bytes.
  static let limit = 1 << 20

  /// Whether a file is one. An empty one is asked for its first byte.
  /// - Parameter status: of the file, links followed.
  static func isOne(_ path: String, _ status: stat) -> Bool {
    let mayBe = status.st_size == 0 || Int(status.st_size) == Int(getpagesize())
    guard status.st_mode & S_IFMT == S_IFREG, mayBe else { return false }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    if status.st_size > 0 { return is_of_sysfs(descriptor) }
    var byte: UInt8 = 0
    return pread(descriptor, &byte, 1, 0) > 0
  }

  /// All that is in a file; nil where that is more than the limit. Blocks.
  static func contents(of path: String) throws -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw POSIXError.ofLastCall }
    defer { close(descriptor) }
    var contents = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while contents.count <= limit {
      let count = DescriptorIO.uninterrupted { Glibc.read(descriptor, &buffer, buffer.count) }
      guard count >= 0 else { throw POSIXError.ofLastCall }
      if count == 0 { return contents }
      contents += buffer[..<count]
    }
    return nil
  }
}
