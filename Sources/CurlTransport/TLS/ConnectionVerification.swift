package import URLLoadingX509

/// How the server of a connection was verified.
package struct ConnectionVerification: Sendable, Equatable {
  /// What verification by the system's rules came to. Not trusted: the session's owner accepted the server nonetheless.
  package var verdict: TrustVerdict
  package var stapled: OCSPStatus

  init(_ peer: ShownPeer) {
    verdict = peer.verdict
    stapled = peer.stapled
  }
}
