internal import URLLoadingBase

/// Bytes of the disk that the service and its programs leave free, in a file beside the service's folder of files: a program that copies a file
/// there may not have heard of the service yet.
package enum BackgroundFreeSpace {
  /// Where nobody has set anything.
  package static let standard: Int64 = 64 << 20

  private static func path(beside files: String) -> String {
    (files as NSString).deletingLastPathComponent + "/free-space"
  }

  package static func read(beside files: String) -> Int64 {
    guard let data = FileManager.default.contents(atPath: path(beside: files)),
      let bytes = Int64(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)),
      bytes >= 0
    else { return standard }
    return bytes
  }

  /// Writes what the service was told, unless that is there.
  package static func write(_ bytes: Int64, beside files: String) throws {
    guard read(beside: files) != bytes else { return }
    try PrivateFile.write(Data("\(bytes)\n".utf8), to: URL(fileURLWithPath: path(beside: files)))
  }

  /// Bytes that this user may write to the disk of a file; nil where nobody knows.
  package static func available(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0, status.f_frsize > 0 else { return nil }
    let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore ? .max : Int64(clamping: bytes)
  }
}
