/// Why the transfer service cannot be used.
package enum BackgroundServiceError: LocalizedError, Hashable {
  /// - Parameter named: the path in the variable; nil where that is not set.
  case noProgram(name: String, variable: String, named: String?)
  /// Others may have put it where it was found.
  case unsafeProgram(String)
  /// - Parameter number: the system's error.
  case notStarted(String, number: Int32)
  /// It was started, and ended before it listened.
  /// - Parameter words: what it said on standard error; empty for nothing.
  case died(String, words: String)
  case unusableDirectory(String, reason: String)
  /// There is no folder that program and service share.
  case noStateDirectory
  case unusableStateDirectory(String, reason: String)
  /// Nobody listens, or whoever listens ends the connection.
  case noAnswer(reason: String)
  /// A service has the queue, and nobody reaches it.
  case unreachable(process: Int32, path: String)
  /// Another user's process listens.
  case foreign
  /// The service is of a version that does not know something of the session, such as its proxies, and would load past them.
  /// - Parameter lacks: what it does not load by, in words.
  case olderService(lacks: String)
  /// The service has refused the session.
  case refused(code: Int, reason: String)

  /// Whether another try may succeed.
  var mayPass: Bool {
    switch self {
    // A disk that is full may have room again.
    case .noAnswer, .unreachable, .died, .unusableStateDirectory, .olderService: true
    // A file that is no program stays none.
    case .notStarted(_, let number): [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY, EINTR, ECHILD].contains(number)
    case .noProgram, .unsafeProgram, .unusableDirectory, .noStateDirectory, .foreign, .refused: false
    }
  }

  package var errorDescription: String? { message }

  /// The error that the tasks of a session fail with.
  func error(for url: URL?) -> URLError { URLError(code, message: message, url: url) }

  private var code: URLError.Code {
    switch self {
    case .noStateDirectory, .unusableStateDirectory: .backgroundSessionRequiresSharedContainer
    case .noProgram, .unsafeProgram, .notStarted, .died, .unusableDirectory, .noAnswer, .unreachable, .foreign,
      .olderService:
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
    case .notStarted(let path, let number):
      "The transfer service \(path) could not be started: \(String(cString: strerror(number)))."
    case .died(let path, let words):
      "The transfer service \(path) ended as it began\(words.isEmpty ? ", and said nothing" : ": \(words)")."
    case .unusableDirectory(let path, let reason):
      "The folder \(path) of the transfer service cannot be used: \(reason)."
    case .noStateDirectory:
      "The transfer service has no folder for its queue: neither XDG_STATE_HOME nor HOME is set."
    case .unusableStateDirectory(let path, let reason):
      "The transfer service cannot have its queue in \(path): \(reason)."
    case .noAnswer(let reason): "The transfer service does not answer: \(reason)."
    case .unreachable(let process, let path):
      "The transfer service runs\(process > 0 ? " as process \(process)" : ""), and does not answer at \(path)."
    case .foreign: "Another user's process listens in the place of the transfer service."
    case .olderService(let words):
      "The transfer service that runs is of an older version, which does not load \(words). End it, so that this program starts a newer one."
    case .refused(_, let reason): reason
    }
  }
}
