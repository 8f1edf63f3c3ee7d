/// Why the transfer service cannot be used.
package enum BackgroundServiceError: Error, Hashable {
  /// - Parameter named: the path in the variable; nil where that is not set.
  case noProgram(name: String, variable: String, named: String?)
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
    case .noProgram, .unusableDirectory, .noStateDirectory, .foreign, .refused: false
    }
  }

  /// The error that the tasks of a session fail with.
  func error(for url: URL?) -> URLError {
    switch self {
    case .noProgram(_, let variable, let path?):
      URLError(
        .backgroundSessionWasDisconnected,
        message:
          "Background sessions need the transfer service, and \(path), which the variable \(variable) names, cannot be run.",
        url: url)
    case .noProgram(let name, let variable, nil):
      URLError(
        .backgroundSessionWasDisconnected,
        message:
          "Background sessions need the program \(name), which was not found: neither in the variable \(variable) nor beside this "
          + "program nor in PATH. Build it with `swift build --product \(name)`, or install it with `make install`.",
        url: url)
    case .notStarted(let path, let reason):
      URLError(
        .backgroundSessionWasDisconnected, message: "The transfer service \(path) could not be started: \(reason).",
        url: url)
    case .unusableDirectory(let path, let reason):
      URLError(
        .backgroundSessionWasDisconnected,
        message: "The folder \(path) of the transfer service cannot be used: \(reason).",
        url: url)
    case .noStateDirectory:
      URLError(
        .backgroundSessionRequiresSharedContainer,
        message: "The transfer service has no folder for its queue: neither XDG_STATE_HOME nor HOME is set.", url: url)
    case .unusableStateDirectory(let path, let reason):
      URLError(
        .backgroundSessionRequiresSharedContainer,
        message: "The transfer service cannot have its queue in \(path): \(reason).", url: url)
    case .noAnswer(let reason):
      URLError(.backgroundSessionWasDisconnected, message: "The transfer service does not answer: \(reason).", url: url)
    case .foreign:
      URLError(
        .backgroundSessionWasDisconnected,
        message: "Another user's process listens in the place of the transfer service.",
        url: url)
    case .refused(let code, let reason): URLError(URLError.Code(rawValue: code) ?? .unknown, message: reason, url: url)
    }
  }
}
