import Foundation

/// What changes of a local file when it is written to or replaced.
struct LocalVersion: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil for what is no file of this machine.
  init?(_ url: URL) {
    var status = stat()
    guard url.isFileURL, url.withUnsafeFileSystemRepresentation({ $0.map { stat($0, &status) } }) == 0 else {
      return nil
    }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
