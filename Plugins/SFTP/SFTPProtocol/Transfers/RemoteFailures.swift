import URLLoading

/// Errors of one URL.
struct RemoteFailures: Sendable {
  let url: URL

  /// What could not be done at all.
  /// - Parameter action: such as "load", for "Cannot load …".
  func refused(_ action: String, _ failure: SFTPFailure, _ fallback: URLError.Code = .cannotOpenFile) -> URLError {
    let code: URLError.Code =
      switch failure {
      case .status(let status):
        switch status.code {
        case .noSuchFile: .fileDoesNotExist
        case .permissionDenied: .noPermissionsToReadFile
        case .noConnection, .connectionLost: .networkConnectionLost
        default: fallback
        }
      case .connectionLost(is WireViolation, _): .badServerResponse
      case .connectionLost(let reason as SSHFailure, _): Self.code(reason.kind)
      case .connectionLost(let reason as URLError, _): reason.code
      case .connectionLost: .networkConnectionLost
      case .requestTooLong: .badURL
      case .unsupported, .unusableAnswer: .badServerResponse
      }
    return error(code, "Cannot \(action) \(name): \(failure.explanation).", failure)
  }

  private static func code(_ kind: SSHFailure.Kind) -> URLError.Code {
    switch kind {
    case .hostNotFound: .cannotFindHost
    case .cannotConnect: .cannotConnectToHost
    case .timedOut: .timedOut
    case .cancelled, .connectionLost: .networkConnectionLost
    case .hostKeyRefused: .serverCertificateUntrusted
    case .nothingInCommon: .secureConnectionFailed
    case .loginFailed: .userAuthenticationRequired
    case .channelRefused: .resourceUnavailable
    case .protocolViolation: .badServerResponse
    }
  }

  func directory(_ action: String) -> URLError {
    error(.fileIsDirectory, "Cannot \(action) \(name): it is a directory.")
  }

  func special(_ action: String) -> URLError {
    error(.cannotOpenFile, "Cannot \(action) \(name): it is a pipe, a device or a socket of the server, not a file.")
  }

  /// What broke off in the middle.
  func broken(_ reason: String, _ failure: SFTPFailure? = nil) -> URLError {
    error(.resourceUnavailable, "Cannot read on in \(name): \(reason).", failure)
  }

  func error(_ code: URLError.Code, _ message: String, _ failure: SFTPFailure? = nil) -> URLError {
    var underlying: (any Error)? = failure
    if case .connectionLost(let reason?, _)? = failure { underlying = reason }
    return URLError(code, message: message, url: url, underlying: underlying)
  }

  var name: String { url.redactedDescription }
}
