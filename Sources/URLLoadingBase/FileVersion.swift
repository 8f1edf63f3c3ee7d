import Glibc

/// What changes of a file when it is written to or replaced.
package struct FileVersion: Equatable, Sendable {
  /// The bytes of the file.
  package let size: Int64
  private let device: dev_t
  private let inode: ino_t
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil where the descriptor is of no file.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Follows symbolic links. Nil where there is nothing.
  package init?(path: UnsafePointer<CChar>) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    size = Int64(status.st_size)
    device = status.st_dev
    inode = status.st_ino
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
