package import URLLoadingX509

/// How a transfer's new TLS connections are evaluated, if libcurl does not do it.
///
/// Transfers with an equal ``pool`` share connections; others never do.
package struct ConnectionSecurity: Sendable {
  package var pool: ConnectionPoolKey
  /// The owner judges every server: the handshake ends with ``TransferFailure/Reason/serverTrust(_:)``, until there is an answer.
  package var asksForTrust = false
  /// The owner chooses an identity where a server asks for one: ends with ``TransferFailure/Reason/clientCertificateRequested(_:authorities:)``.
  package var asksForIdentity = false
  /// What the owner has answered, by endpoint.
  package var answers: [TLSEndpoint: Answer] = [:]
  /// What every server must satisfy, whatever the owner answers; nil for no more than TLS requires. Does not apply to
  /// proxies.
  package var requirements: TLSRequirements?
  /// The server is a known HSTS host: an error of its certificates ends the connection, and nobody may accept it (RFC 6797, section 8.4).
  package var isKnownHost = false

  package struct Answer: Sendable {
    /// The certificates that were accepted, which the next handshake has to show again.
    package var acceptedCertificates: [X509Certificate]?
    /// Chains that the owner left to the default verification, which trusts them. The owner is asked about every other
    /// chain: a host's servers may have different certificates, and a pinning delegate also leaves matching chains to
    /// the default.
    package var trustedChains: Set<[X509Certificate]> = []
    package var identity: IdentityChoice?

    package init() {}
  }

  package enum IdentityChoice: Sendable {
    /// To connect without a certificate.
    case none
    case identity(ClientIdentity)
  }

  package init(pool: ConnectionPoolKey) {
    self.pool = pool
  }

  /// Why a server that is not trusted is refused without a question; nil where the owner may accept it.
  func refusal(of verdict: TrustVerdict) -> TransferFailure.Reason? {
    guard !verdict.isTrusted else { return nil }
    if isKnownHost { return .untrustedKnownHost(verdict) }
    return requirements?.allowsOverridingTrust == false ? .untrustedServer(verdict) : nil
  }
}
