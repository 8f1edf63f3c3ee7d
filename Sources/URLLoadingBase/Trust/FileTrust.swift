import Foundation

/// Who may have written a file.
package struct FileTrust {
  private let unknownUser: UInt32?

  /// Checks that nobody but the user and root may have written a file, or put another one, a link or a directory into its place: all
  /// directories are looked at in which a name of its path, or of a link's, is looked up. The same for a directory, and what is put into it.
  /// - Parameter unknownUser: what the kernel shows in the place of users that this namespace does not know; nil where it knows all of them.
  /// - Returns: what the path leads to.
  @discardableResult
  package static func check(
    _ path: String, unknownUser: UInt32? = currentUnknownUser
  ) throws(FileDistrust) -> stat {
    let trust = FileTrust(unknownUser: unknownUser)
    var walk = PathWalk(path)
    var last: PathWalk.Step?
    while let step = try walk.next() {
      try trust.check(step)
      last = step
    }
    guard let last else { throw .unreadable(number: EISDIR) }
    try trust.checkOwner(last.status, last.path)
    guard !isWritableByOthers(last.status) else { throw .writableByOthers(path: last.path) }
    return last.status
  }

  private func check(_ step: PathWalk.Step) throws(FileDistrust) {
    // In a user namespace `/` and `/home` are nobody's: what the file and links to it are in has to be the user's own all the same.
    try checkOwner(step.folderStatus, step.folder, mayBeUnmapped: !step.isLast)
    guard Self.isWritableByOthers(step.folderStatus) else { return }
    // What is in a sticky directory is replaced by its owner alone (inode(7)), as in /tmp.
    guard !step.isLast, step.folderStatus.st_mode & S_ISVTX != 0 else {
      throw .writableByOthers(path: step.folder)
    }
    try checkOwner(step.status, step.path)
  }

  private static func isWritableByOthers(_ status: stat) -> Bool { status.st_mode & (S_IWGRP | S_IWOTH) != 0 }

  /// - Parameter mayBeUnmapped: an owner that this user namespace does not know will do: it is root for what every system has.
  private func checkOwner(_ status: stat, _ path: String, mayBeUnmapped: Bool = false) throws(FileDistrust) {
    let owner = status.st_uid
    guard owner != geteuid(), owner != 0 else { return }
    let isUnmapped = owner == unknownUser
    guard !(isUnmapped && mayBeUnmapped) else { return }
    throw .foreignOwner(owner, of: path, isUnmapped: isUnmapped)
  }

  /// That of this process (user_namespaces(7)).
  package static let currentUnknownUser: UInt32? = {
    let map = (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)) ?? ""
    guard map.split(whereSeparator: \.isWhitespace) != ["0", "0", "4294967295"] else { return nil }
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/overflowuid", encoding: .utf8)) ?? ""
    return UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }()
}
