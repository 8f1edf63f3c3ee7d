import Foundation

/// Who may have written a file.
enum FileTrust {
  /// Checks that nobody but the user and root may have written a file, or put another one, or another link, into its place.
  static func check(_ file: OpenFile) throws(PluginFlaw) {
    try check(file.status, file.path)
    let folder = (file.path as NSString).deletingLastPathComponent
    try check(folder)
    let linkFolder = try OpenFile.resolved((file.givenPath as NSString).deletingLastPathComponent)
    if linkFolder != folder { try check(linkFolder) }
  }

  /// - Parameter folder: its path with all links resolved.
  private static func check(_ folder: String) throws(PluginFlaw) {
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw .unreadable(number: errno) }
    try check(status, folder)
  }

  private static func check(_ status: stat, _ path: String) throws(PluginFlaw) {
    let owner = status.st_uid
    guard owner == geteuid() || owner == 0 else {
      throw .foreignOwner(owner, of: path, isUnmapped: owner == unknownUser)
    }
    guard status.st_mode & 0o022 == 0 else { throw .writableByOthers(path: path) }
  }

  /// What the kernel shows in the place of users that a namespace does not know (user_namespaces(7)); nil where this one knows all of them.
  private static var unknownUser: UInt32? {
    let map = (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)) ?? ""
    guard map.split(whereSeparator: \.isWhitespace) != ["0", "0", "4294967295"] else { return nil }
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8)) ?? ""
    return UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
