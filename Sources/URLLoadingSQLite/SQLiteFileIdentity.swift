import Foundation

/// Which file a path names.
struct SQLiteFileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Nil where there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }
}
