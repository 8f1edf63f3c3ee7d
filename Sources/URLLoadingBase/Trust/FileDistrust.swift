import Glibc

/// Why a file is not run, opened as a library or believed.
package enum FileDistrust: Error, Hashable {
  /// - Parameter number: of the system's error.
  case unreadable(number: Int32)
  /// - Parameters:
  ///   - of: the path of the file, or that of a directory that leads to it.
  ///   - isUnmapped: this process is in a user namespace that does not know the owner.
  case foreignOwner(UInt32, of: String, isUnmapped: Bool)
  /// - Parameter path: the file's, or that of a directory that leads to it.
  case writableByOthers(path: String)
}

extension FileDistrust: CustomStringConvertible {
  /// Words after the file's path.
  package var description: String {
    switch self {
    case .unreadable(let number): "cannot be opened: \(String(cString: strerror(number)))"
    case .foreignOwner(let user, let path, false):
      "is not safe: \(path) is owned by the user \(user), neither by this one nor by root"
    case .foreignOwner(let user, let path, true):
      "is not safe: \(path) is owned by the user \(user), which a user namespace shows in the place of those that it does not know, root too (PrivateUsers of systemd): it has to be this user's own"
    case .writableByOthers(let path):
      "is not safe: the group or others may write to \(path), where only this user and root may (chmod go-w)"
    }
  }
}
