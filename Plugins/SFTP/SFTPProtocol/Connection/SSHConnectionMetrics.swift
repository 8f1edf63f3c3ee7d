import Foundation

/// When a connection did what, with which algorithms.
struct SSHConnectionMetrics: Sendable {
  var start: Date?
  /// The name was looked up; nil for what is an address, or is reached through another host.
  var lookupStart: Date?
  var lookupEnd: Date?
  /// The server, or the host before it, could be reached.
  var connected: Date?
  var keysExchanged: Date?
  var hostKeyAccepted: Date?
  var loggedIn: Date?
  /// The channel is open.
  var opened: Date?
  var end: Date?
  /// What the server calls itself, such as `SSH-2.0-OpenSSH_9.2p1`.
  var serverVersion: String?
  var keyExchange: String?
  var hostKey: String?
  /// Ciphers and authentication of messages to the server, and from it.
  var cipherOut: String?
  var cipherIn: String?
  var macOut: String?
  var macIn: String?
  /// The method of login that the server accepted, such as `publickey`.
  var loginMethod: String?
  /// The addresses of the server and of this end, if it was reached directly.
  var address: String?
  var localAddress: String?
  var localPort: UInt16?
  /// Bytes on the wire, encryption included.
  var bytesSent: UInt64 = 0
  var bytesReceived: UInt64 = 0
}
