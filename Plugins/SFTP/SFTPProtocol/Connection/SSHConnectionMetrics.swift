import Foundation

/// When a connection reached which phase, and its algorithms. Nil is what did not happen or is not known.
struct SSHConnectionMetrics: Sendable {
  var start: Date?
  /// Nil for an address, or a server that is reached through another host.
  var lookupStart: Date?
  var lookupEnd: Date?
  /// The TCP connection, or the tunnel, was open.
  var connected: Date?
  var keysExchanged: Date?
  var loggedIn: Date?
  var opened: Date?
  var keyExchange: String?
  /// Of what the server sends.
  var cipherIn: String?
  /// Nil for a cipher that authenticates what it encrypts.
  var macIn: String?
  /// The addresses of the server and of this end, if it was reached directly.
  var address: String?
  var port: UInt16?
  var localAddress: String?
  var localPort: UInt16?

  /// `sftp` and the algorithms, such as `sftp/curve25519-sha256/aes128-ctr/hmac-sha2-256` or
  /// `sftp/curve25519-sha256/chacha20-poly1305@openssh.com`.
  var protocolName: String {
    (["sftp"] + [keyExchange, cipherIn, macIn].compactMap(\.self)).joined(separator: "/")
  }
}
