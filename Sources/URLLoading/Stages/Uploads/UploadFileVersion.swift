import Glibc

/// The version of a file, to detect changes since its upload began.
struct UploadFileVersion: Equatable, Sendable {
  /// In bytes.
  var size: Int64
  var inode: UInt64
  /// The time of the last change of its contents, in nanoseconds since 1970.
  var modified: Int64

  /// The current version; nil if there is no regular file.
  init?(ofFile url: URL) {
    var status = stat()
    guard url.isFileURL, stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int64(status.st_size)
    inode = UInt64(status.st_ino)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  init(size: Int64, inode: UInt64, modified: Int64) {
    self.size = size
    self.inode = inode
    self.modified = modified
  }
}
