import Glibc

/// Why a server, a command or a scripted connection failed.
package struct TestServerError: Error, CustomStringConvertible {
  /// What went wrong.
  package let description: String

  /// An error with a text.
  package init(_ description: String) {
    self.description = description
  }

  /// The failure of a system call, by `errno`.
  package static func system(_ call: String, _ code: Int32 = errno) -> TestServerError {
    TestServerError("\(call): \(String(cString: strerror(code)))")
  }
}
