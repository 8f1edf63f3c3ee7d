import Foundation

/// Why a connection failed. Never carries a secret.
struct SSHFailure: Error, Sendable, LocalizedError {
  enum Kind: Sendable, Equatable {
    case hostNotFound
    /// No route to the server, or no name service.
    case noNetwork
    case cannotConnect
    case timedOut
    case cancelled
    case hostKeyRefused
    /// No algorithm in common.
    case nothingInCommon
    case loginFailed
    /// The login succeeded, and the server refused the channel.
    case channelRefused
    case connectionLost
    case protocolViolation
  }

  let kind: Kind
  /// What was wrong, with which server, and what to do.
  let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  var errorDescription: String? { message }

  /// A server's text for a message: one line of printable characters.
  static func printable(_ text: some StringProtocol, limit: Int = 200) -> String {
    let line = text.prefix(limit).map { $0.isNewline || $0 == "\t" ? " " : $0 }
    let safe = line.filter {
      $0.unicodeScalars.allSatisfy {
        !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
      }
    }
    return String(safe).trimmingCharacters(in: .whitespaces)
  }
}
