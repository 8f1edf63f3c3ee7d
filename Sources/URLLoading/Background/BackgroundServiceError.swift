/// Why the transfer service cannot be used.
package enum BackgroundServiceError: Error, Hashable {
  /// - Parameter named: the path in the variable; nil where that is not set.
  case noProgram(name: String, variable: String, named: String?)
  /// Others may have put it where it was found.
  case unsafeProgram(String)
  case notStarted(String, reason: String)
  case unusableDirectory(String, reason: String)
  /// There is no folder that program and service share.
  case noStateDirectory
  case unusableStateDirectory(String, reason: String)
  /// Nobody listens, or whoever listens ends the connection.
  case noAnswer(reason: String)
  /// Another user's process listens.
  case foreign
  /// The service has refused the session.
  case refused(code: Int, reason: String)

  /// Whether another try may succeed.
  var mayPass: Bool {
    switch self {
    // A disk that is full may have room again.
    case .notStarted, .noAnswer, .unusableStateDirectory: true
    case .noProgram, .unsafeProgram, .unusableDirectory, .noStateDirectory, .foreign, .refused: false
    }
  }

  /// The error that the tasks of a session fail with.
  func error(for url: URL?) -> URLError { URLError(code, message: message, url: url) }

  private var code: URLError.Code {
    switch self {
    case .noStateDirectory, .unusableStateDirectory: .backgroundSessionRequiresSharedContainer
    case .noProgram, .unsafeProgram, .notStarted, .unusableDirectory, .noAnswer, .foreign:
      .backgroundSessionWasDisconnected
    case .refused(let code, _): URLError.Code(rawValue: code) ?? .unknown
    }
  }

  private var message: String {
    switch self {
    case .noProgram(_, let variable, let path?):
      "Background sessions need the transfer service, and \(path), which the variable \(variable) names, cannot be run."
    case .noProgram(let name, let variable, nil):
      "Background sessions need the program \(name), which was not found: neither in the variable \(variable) nor beside this "
        + "program nor in PATH. Build it with `swift build --product \(name)`, or install it with `make install`."
    case .unsafeProgram(let words):
      "Background sessions need the transfer service. \(words). Where that is as it should be, name its path in the variable URLLOADD."
    case .notStarted(let path, let reason): "The transfer service \(path) could not be started: \(reason)."
    case .unusableDirectory(let path, let reason):
      "The folder \(path) of the transfer service cannot be used: \(reason)."
    case .noStateDirectory:
      "The transfer service has no folder for its queue: neither XDG_STATE_HOME nor HOME is set."
    case .unusableStateDirectory(let path, let reason):
      "The transfer service cannot have its queue in \(path): \(reason)."
    case .noAnswer(let reason): "The transfer service does not answer: \(reason)."
    case .foreign: "Another user's process listens in the place of the transfer service."
    case .refused(_, let reason): reason
    }
  }
}
