import Foundation

/// Why a request failed.
enum SFTPFailure: Error, Sendable {
  case status(ServerStatus)
  /// The connection ended before the reply came.
  /// - Parameter wasSent: whether the server may have carried out the request.
  case connectionLost(reason: (any Error)?, wasSent: Bool)
  /// The request is larger than any that a server takes.
  case requestTooLong(Int)
  /// A reply that does not answer the request, such as a path without a name.
  case unusableAnswer(String)

  /// Whether another connection may repeat the request: this one was lost, and not because the server violated the protocol.
  var isRepeatable: Bool {
    if case .connectionLost(let reason, _) = self { !(reason is WireViolation) } else { false }
  }

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
    case .unusableAnswer(let text): return "the server answered with \(text)"
    }
  }
}
