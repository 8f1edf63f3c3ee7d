import Glibc

/// Which file is at a path, as long as somebody has it open: links are not followed.
package struct FileIdentity: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// Nil where there is nothing.
  package init?(path: String) { self.init(name: path, in: AT_FDCWD) }

  /// Nil where the descriptor is of no file.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// - Parameter directory: the folder's descriptor.
  package init?(name: String, in directory: Int32) {
    var status = stat()
    guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
