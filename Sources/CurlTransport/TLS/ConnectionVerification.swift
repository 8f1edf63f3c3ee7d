package import URLLoadingX509

/// How the server of a connection was verified.
package struct ConnectionVerification: Sendable, Equatable {
  /// What verification by the system's rules came to. Not trusted: the session's owner accepted the server nonetheless.
  package var verdict: TrustVerdict
  package var stapled: OCSPStatus
  /// The same as the verdict, of the HTTPS proxy that the connection goes through; nil where there is none.
  package var proxyVerdict: TrustVerdict?

  init(_ peer: ShownPeer) {
    verdict = peer.verdict
    stapled = peer.stapled
  }

  /// A connection that speaks TLS with a proxy alone.
  init(ofProxy verdict: TrustVerdict) {
    self.verdict = .trusted
    stapled = .absent
    proxyVerdict = verdict
  }
}
