/// How a process ended.
package enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
  /// It exited with this code.
  case exited(Int32)
  /// This signal ended it.
  case signalled(Int32)

  /// The status in words.
  package var description: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signalled(let signal): "signal \(signal)"
    }
  }
}
