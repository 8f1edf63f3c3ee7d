import Foundation

/// The properties that transfers must share to reuse each other's connections, within one session.
package struct ConnectionPoolKey: Sendable, Hashable {
  /// Who evaluates the trust in the servers: a number for each delegate; nil for none.
  package var trustEvaluator: UInt64?
  /// The fingerprint of the certificate that logs in.
  package var identity: Data?
  /// The scheme and the user of a login that belongs to a connection, such as NTLM's, and a digest of its password.
  package var login: String?
  /// Requirements on servers beyond those of TLS.
  package var hasRequirements = false
  /// Each connection serves one transfer, without a limit in time.
  var isOfSingleConnections = false
  /// Where the connections go, all by QUIC: what one of them shows of the way there is true of all.
  var quic: QUICRoute?
  /// The path of the Unix socket that they go to, as bytes: two spellings of a letter are two files. Nil for hosts.
  var unixSocket: [UInt8]?

  package init() {}
}
