import Glibc

/// Why a file, a line or a value cannot be used.
struct Problem: Error, Hashable, Sendable {
  /// The end of a sentence.
  let reason: String
  /// There is no such file.
  var isMissing = false

  init(_ reason: String, isMissing: Bool = false) {
    self.reason = reason
    self.isMissing = isMissing
  }

  /// A system call failed: `errno`'s text, after what could not be done.
  static func system(_ what: String) -> Problem {
    let code = errno
    return Problem("\(what): \(String(cString: strerror(code)))", isMissing: code == ENOENT || code == ENOTDIR)
  }
}
