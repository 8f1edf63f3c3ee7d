import Foundation
internal import URLLoadingBase

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
  /// - Parameter limit: in Unicode scalars.
  static func printable(_ text: some StringProtocol, limit: Int = 200) -> String {
    ForeignText.line(text, limit: limit, blank: " ", substitute: nil).trimmingCharacters(in: .whitespaces)
  }
}
