import URLLoading
internal import URLLoadingBase

/// A file in a directory where no other can be made: it is written as it is, from the first byte on, and what fails leaves a part of it.
///
/// Mutable state: `written`, guarded by its lock.
final class InPlaceOutput: Output {
  private let descriptor: Int32
  private let file: String
  private let written = Locked<Int64>(0)

  /// Nil where a file can be made beside it, or where it may not be written.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      access(FileNames.split(path).directory, W_OK) != 0
    else { return nil }
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    file = path
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var count: Int64 { written.withLock { $0 } }
  var isFile: Bool { true }
  var name: String? { FileNames.split(file).name }
  var path: String? { file }

  func begin(_ response: URLResponse, of url: URL, _ resumption: Resumption?) throws(Failure) {
    if count == 0 { try restart() }
  }

  func write(_ data: Data) throws(Failure) {
    try DescriptorWriter.write(data, to: descriptor, file)
    written.withLock { $0 += Int64(data.count) }
  }

  func restart() throws(Failure) {
    written.withLock { $0 = 0 }
    PartialFiles.shared.beginOverwriting(file)
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw Failure(writing: file, errno)
    }
  }

  func finish(_ date: Date?) throws(Failure) {
    if let times = FileNames.times(date) { futimens(descriptor, times) }
    try DescriptorWriter.checkClose(descriptor, file)
    PartialFiles.shared.endOverwriting(file)
  }

  func abandon() {}
  func keep() -> KeptPart? { nil }

  var damage: String? { PartialFiles.shared.overwritten.contains(file) ? Self.damage(to: file) : nil }

  /// For a message: a clause.
  static func damage(to path: String) -> String { "\(path) has only a part now" }
}
