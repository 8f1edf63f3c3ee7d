import Foundation

/// A file that the user names, whether it is there or not.
struct FileTarget {
  let directory: String
  let name: String
  /// The permissions that the file has; nil where there is none.
  let mode: mode_t?

  init(_ path: String) throws(Failure) {
    var target = path
    var status = stat()
    var mode: mode_t?
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure(writing: path, EISDIR) }
      // A rename must not replace a symbolic link.
      if let resolved = realpath(path, nil) {
        if !Self.isPlain(path) { target = String(cString: resolved) }
        free(resolved)
      }
      mode = status.st_mode & 0o777
    }
    (directory, name) = FileNames.split(target)
    self.mode = mode
    guard !name.isEmpty else { throw Failure(writing: path, EISDIR) }
  }

  /// Whether a path leads to a device, a pipe or a socket, which a rename must not replace.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Whether a path leads to the null device, which drops what is written.
  static func isNull(_ path: String) -> Bool {
    var (target, null) = (stat(), stat())
    return stat(path, &target) == 0 && stat("/dev/null", &null) == 0 && target.st_mode & S_IFMT == S_IFCHR
      && target.st_rdev == null.st_rdev
  }

  /// Whether the path names a file itself, and no link to one.
  private static func isPlain(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK
  }
}
