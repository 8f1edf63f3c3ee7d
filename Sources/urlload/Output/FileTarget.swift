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

  /// Whether the path names a file itself, and no link to one.
  private static func isPlain(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK
  }
}
