import Foundation
internal import URLLoadingBase

/// The file of `-D`.
///
/// Mutable state: none but the file, whose writes are guarded by `lock`.
final class HeadFile: Sendable {
  private let descriptor: Int32
  private let path: String
  private let lock = Locked(())

  /// - Parameter path: `-` is standard output.
  init(_ path: String) throws(Failure) {
    self.path = path
    descriptor = path == "-" ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(writing: path, errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ head: Data) throws(Failure) {
    try lock.withLock { _ throws(Failure) in try DescriptorWriter.write(head, to: descriptor, path) }
  }
}
