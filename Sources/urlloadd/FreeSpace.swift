import Foundation

/// The room that a disk has.
enum FreeSpace {
  /// Bytes that this user may write; nil where nobody knows.
  static func bytes(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
