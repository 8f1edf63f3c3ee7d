import Foundation

/// What has to be equal between transfers that may use each other's connections, within one session.
package struct ConnectionPoolKey: Sendable, Hashable {
  /// Who judges the servers: a number for each delegate; nil for nobody.
  package var judge: UInt64?
  /// The fingerprint of the certificate that logs in.
  package var identity: Data?
  /// The scheme and the user of a login that belongs to a connection, such as NTLM's, and a digest of its password.
  package var login: String?
  /// Servers have to keep more than TLS asks.
  package var hasRequirements = false
  /// Each connection is for one transfer, and for as long as that likes.
  var isOfSingleConnections = false

  package init() {}
}
