import URLLoading

/// Makes the errors of a load.
struct RemoteFailures: Sendable {
  /// The request that was refused, for the error's message and code.
  enum Step: Sendable {
    case read
    /// A request of an upload that is not named in the message.
    case store
    case create([UInt8])
    case write([UInt8])
    case rename([UInt8], to: [UInt8])
    case remove([UInt8])

    /// The code for missing permission.
    fileprivate var deniedCode: URLError.Code {
      if case .read = self { .noPermissionsToReadFile } else { code }
    }

    /// The code for other reasons.
    fileprivate var code: URLError.Code {
      switch self {
      case .read: .cannotOpenFile
      case .create: .cannotCreateFile
      case .store, .write: .cannotWriteToFile
      case .rename: .cannotMoveFile
      case .remove: .cannotRemoveFile
      }
    }

    /// The request, for the middle of a sentence.
    fileprivate var words: String? {
      switch self {
      case .read, .store: nil
      case .create(let path): "to create \(Self.text(path))"
      case .write(let path): "to write to \(Self.text(path))"
      case .rename(let path, let target): "to rename \(Self.text(path)) to \(Self.text(target))"
      case .remove(let path): "to remove \(Self.text(path))"
      }
    }

    private static func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
  }

  let url: URL
  /// A sentence that is added to every message, such as about what is left.
  var remark = ""

  /// A load that failed at its beginning.
  /// - Parameter action: such as "load", for "Cannot load …".
  func refused(_ action: String, _ failure: SFTPFailure, _ step: Step = .read) -> URLError {
    let code: URLError.Code
    var words = failure.explanation
    switch failure {
    case .status(let status):
      switch status.code {
      case .noSuchFile: code = .fileDoesNotExist
      case .permissionDenied: code = step.deniedCode
      case .noConnection, .connectionLost: code = .networkConnectionLost
      default: code = step.code
      }
      if let refused = step.words { words = "the server refused \(refused): \(words)" }
    case .connectionLost, .requestTooLong, .unusableAnswer: code = Self.code(failure)
    }
    return error(code, "Cannot \(action) \(name): \(words).", failure)
  }

  /// The code of a failure other than a status.
  private static func code(_ failure: SFTPFailure) -> URLError.Code {
    switch failure {
    case .connectionLost(is WireViolation, _): .badServerResponse
    case .connectionLost(let reason as SSHFailure, _): code(reason.kind)
    case .connectionLost(let reason as URLError, _): reason.code
    case .connectionLost: .networkConnectionLost
    case .requestTooLong: .badURL
    case .unusableAnswer, .status: .badServerResponse
    }
  }

  private static func code(_ kind: SSHFailure.Kind) -> URLError.Code {
    switch kind {
    case .hostNotFound: .cannotFindHost
    case .noNetwork: .notConnectedToInternet
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

  /// No connection could be made.
  /// - Parameter hasBegun: whether an earlier one was lost in the middle of the load.
  func unreachable(_ failure: SFTPFailure, hasBegun: Bool) -> URLError {
    guard hasBegun, case .connectionLost(let reason, _) = failure else {
      return refused("reach the server of", failure)
    }
    // The server is not what it was, or the user has to act.
    let kinds: [SSHFailure.Kind] = [.hostKeyRefused, .nothingInCommon, .loginFailed, .protocolViolation]
    if reason is WireViolation || kinds.contains(where: { $0 == (reason as? SSHFailure)?.kind }) {
      return refused("reach the server of", failure)
    }
    return error(
      .networkConnectionLost, "The connection was lost in the middle of \(name), and again: \(failure.explanation).",
      failure)
  }

  func directory(_ action: String) -> URLError {
    error(.fileIsDirectory, "Cannot \(action) \(name): it is a directory.")
  }

  /// A URL with a slash at its end names a file.
  func notADirectory(_ action: String) -> URLError {
    error(
      .fileDoesNotExist,
      "Cannot \(action) \(name): the slash at its end says that it is a directory, but it is a file.")
  }

  func special(_ action: String) -> URLError {
    error(.cannotOpenFile, "Cannot \(action) \(name): it is a pipe, a device or a socket of the server, not a file.")
  }

  /// A load that failed in the middle.
  func broken(_ failure: SFTPFailure) -> URLError {
    let code: URLError.Code =
      switch failure {
      case .status(let status) where [.noConnection, .connectionLost].contains(status.code): .networkConnectionLost
      case .status: .resourceUnavailable
      case .connectionLost(is SSHFailure, _), .connectionLost(is URLError, _): .networkConnectionLost
      case .connectionLost, .requestTooLong, .unusableAnswer: Self.code(failure)
      }
    return error(code, "Cannot read on in \(name): \(failure.explanation).", failure)
  }

  /// A load that failed in the middle, because the file changed.
  func broken(_ reason: String, _ failure: SFTPFailure? = nil) -> URLError {
    error(.resourceUnavailable, "Cannot read on in \(name): \(reason).", failure)
  }

  func error(_ code: URLError.Code, _ message: String, _ failure: SFTPFailure? = nil) -> URLError {
    var underlying: (any Error)? = failure
    switch failure {
    case .connectionLost(let reason?, _)?: underlying = reason
    // Not every code says that permission is missing.
    case .status(let status)? where status.code == .permissionDenied: underlying = POSIXError(.EACCES)
    default: break
    }
    return URLError(code, message: remark.isEmpty ? message : "\(message) \(remark)", url: url, underlying: underlying)
  }

  var name: String { url.redactedDescription }
}
