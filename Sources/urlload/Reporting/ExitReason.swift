/// Why the command ended, as its exit code.
enum ExitReason: Int32, CaseIterable, Sendable {
  case success = 0
  case other = 1
  case usage = 2
  case badURL = 3
  case noConnection = 4
  case insecure = 5
  case timeout = 6
  case login = 7
  case serverStatus = 8
  case notFound = 9
  case broken = 10
  case localFile = 11
  case interrupted = 130
  case outputClosed = 141
  case terminated = 143

  /// The text of the help.
  var meaning: String {
    switch self {
    case .success: "everything was loaded"
    case .other: "an error of no other kind"
    case .usage: "an option or argument is wrong"
    case .badURL: "no URL, or no protocol for its scheme"
    case .noConnection: "the name was not found, or nobody answers there"
    case .insecure: "TLS or SSH failed, or the server's certificate or key is not trusted"
    case .timeout: "it took too long"
    case .login: "user or password are missing or refused (status 401, 407; FTP and SSH login)"
    case .serverStatus: "the server's status is 400 or above"
    case .notFound: "no such file or directory, or no permission for it (file, ftp, sftp, dav)"
    case .broken: "the transfer broke, or the answer makes no sense"
    case .localFile: "a local file could not be read or written"
    case .interrupted: "Ctrl-C"
    case .outputClosed: "the reader of standard output went away"
    case .terminated: "ended by SIGTERM (by SIGHUP it is 129)"
    }
  }

  /// The codes as the help shows them.
  static var table: String {
    allCases.map { reason in
      let code = String(reason.rawValue)
      return String(repeating: " ", count: 5 - code.count) + code + "  " + reason.meaning
    }.joined(separator: "\n")
  }
}
