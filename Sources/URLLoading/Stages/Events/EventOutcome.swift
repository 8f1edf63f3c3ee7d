extension URLSession {
  /// How a task ended.
  @frozen public enum EventOutcome: Sendable {
    /// The whole response came. Its status may be one of failure: a server's status is no error.
    case succeeded
    /// The error that the program gets.
    case failed(any Error)
    /// The task was cancelled.
    case cancelled

    init(_ error: (any Error)?) {
      switch error {
      case nil: self = .succeeded
      case let error as URLError where error.code == .cancelled: self = .cancelled
      case let error?: self = .failed(error)
      }
    }
  }
}
