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
  var hostKeyAccepted: Date?
  var loggedIn: Date?
  /// The channel is open.
  var opened: Date?
  var end: Date?
  /// The server's version, such as `SSH-2.0-OpenSSH_9.2p1`.
  var serverVersion: String?
  var keyExchange: String?
  var hostKey: String?
  /// `Out` is to the server, `In` from it.
  var cipherOut: String?
  var cipherIn: String?
  var macOut: String?
  var macIn: String?
  /// The method of login that the server accepted, such as `publickey`.
  var loginMethod: String?
  /// The addresses of the server and of this end, if it was reached directly.
  var address: String?
  var port: UInt16?
  var localAddress: String?
  var localPort: UInt16?
  /// Bytes on the wire, encryption included.
  var bytesSent: UInt64 = 0
  var bytesReceived: UInt64 = 0

  /// `sftp` and the algorithms, such as `sftp/curve25519-sha256/aes128-ctr/hmac-sha2-256`.
  var protocolName: String {
    (["sftp"] + [keyExchange, cipherIn, macIn].compactMap(\.self)).joined(separator: "/")
  }
}
