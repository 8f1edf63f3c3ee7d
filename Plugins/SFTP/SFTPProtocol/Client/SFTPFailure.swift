import Foundation

/// Why a request has no answer.
enum SFTPFailure: Error, Sendable {
  /// The server said no.
  case status(ServerStatus)
  /// The connection ended before the answer came.
  /// - Parameter wasSent: whether the server may have done what was asked.
  case connectionLost(reason: (any Error)?, wasSent: Bool)
  /// The request is larger than any that a server takes.
  case requestTooLong(Int)
  /// The server has no such extension, or lacks what is asked for.
  case unsupported(ServerExtension)
  /// An answer that fits no question, such as a path that has no name.
  case unusableAnswer(String)

  /// The status, if that is what it was.
  var status: ServerStatus.Code? {
    if case .status(let status) = self { status.code } else { nil }
  }

  /// What was wrong, for the middle of a sentence.
  var explanation: String {
    switch self {
    case .status(let status): return status.explanation
    case .connectionLost(let reason as WireViolation, _):
      return "the server does not keep to the SFTP protocol: \(reason)"
    case .connectionLost(let reason as SSHFailure, _): return reason.message
    case .connectionLost(let reason?, _): return "the connection was lost: \(reason.localizedDescription)"
    case .connectionLost(nil, _): return "the server closed the connection"
    case .requestTooLong(let count): return "the request would be \(count) bytes long, more than a server takes"
    case .unsupported(let name): return "the server has no \(name.rawValue)"
    case .unusableAnswer(let text): return "the server answered with \(text)"
    }
  }
}
