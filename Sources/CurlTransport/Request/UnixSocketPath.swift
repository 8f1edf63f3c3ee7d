import Glibc
internal import URLLoadingBase

/// The path of a Unix socket (unix(7)) that requests are sent to in place of a host.
enum UnixSocketPath {
  /// How many bytes a path may have: the kernel's field has one more, for the NUL behind it.
  static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Throws: why no socket can have such a path.
  static func check(_ path: String) throws(InvalidRequest) {
    guard !path.isEmpty else { throw InvalidRequest(message: "the path of the Unix socket is empty") }
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw InvalidRequest(message: "the path of a Unix socket begins with a slash, and \(shown(path)) does not")
    }
    guard !path.utf8.contains(0) else {
      throw InvalidRequest(message: "the path of the Unix socket \(shown(path)) has a NUL")
    }
    let length = path.utf8.count
    guard length <= maximumLength else {
      throw InvalidRequest(
        message: "the path of the Unix socket \(shown(path)) has \(length) bytes, and may have \(maximumLength)")
    }
  }

  /// Why a connection to a socket was not made, in words that name the path.
  /// - Parameter error: the number of the system's error.
  static func words(for path: String, _ error: Int32) -> String {
    switch error {
    case ENOENT: "there is no Unix socket at \(shown(path))"
    case ECONNREFUSED where !isSocket(path): "what is at \(shown(path)) is no Unix socket"
    case ECONNREFUSED: "nobody accepts connections at the Unix socket \(shown(path))"
    case EPROTOTYPE: "the Unix socket at \(shown(path)) is none for connections"
    case EAGAIN: "the server at the Unix socket \(shown(path)) has as many connections waiting as it allows"
    default: "no connection to the Unix socket \(shown(path)): \(String(cString: strerror(error)))"
    }
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func shown(_ path: String) -> String { ForeignText.line(path) }
}
