internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// Why a handshake was aborted: the owner has to evaluate the server, or the server requests a client certificate. Turns into a challenge, and
/// its answer into the input of the next handshake.
enum ConnectionQuestion {
  case trust(ShownPeer)
  case identity(TLSEndpoint, authorities: [Data])

  init?(_ reason: TransferFailure.Reason) {
    switch reason {
    case .serverTrust(let peer): self = .trust(peer)
    case .clientCertificateRequested(let endpoint, let authorities):
      self = .identity(endpoint, authorities: authorities)
    default: return nil
    }
  }

  var endpoint: TLSEndpoint {
    switch self {
    case .trust(let peer): peer.endpoint
    case .identity(let endpoint, _): endpoint
    }
  }

  /// The space of the challenge.
  /// - Parameters:
  ///   - scheme: that of the URL.
  ///   - authorities: the roots of the session.
  func space(scheme: String, _ authorities: TrustedAuthorities) -> URLProtectionSpace {
    let (method, handshake): (String, URLProtectionSpace.Handshake)
    switch self {
    case .trust(let peer):
      (method, handshake) = (NSURLAuthenticationMethodServerTrust, .trust(SecTrust(peer, authorities: authorities)))
    case .identity(_, let authorities):
      (method, handshake) = (NSURLAuthenticationMethodClientCertificate, .clientCertificate(authorities: authorities))
    }
    return URLProtectionSpace(
      host: endpoint.host, port: endpoint.port, isProxy: endpoint.isProxy, scheme: scheme, method: method,
      handshake: handshake)
  }

  /// The challenge to the delegate.
  func challenge(
    scheme: String, _ authorities: TrustedAuthorities, from sender: any URLAuthenticationChallengeSender
  ) -> URLAuthenticationChallenge {
    URLAuthenticationChallenge(
      protectionSpace: space(scheme: scheme, authorities), proposedCredential: nil, previousFailureCount: 0,
      failureResponse: nil, error: nil, sender: sender)
  }

  /// How a challenge was answered.
  enum Decision {
    case credential(URLCredential)
    case byDefault
    case rejected
  }

  enum Resolution {
    /// Repeat the handshake.
    case proceed(Change)
    /// Fail the load with the error of the handshake.
    case fail
  }

  /// The decisions about the endpoint for the next handshake.
  enum Change {
    case accepts([X509Certificate])
    case trusts([X509Certificate])
    case identifies(ConnectionSecurity.IdentityChoice)
  }

  /// What an answer means. A credential of another kind is no answer, and counts as the default.
  func resolved(by decision: Decision) -> Resolution {
    switch (self, decision) {
    // Trust in another certificate is not trust in this one.
    case (.trust(let peer), .credential(let credential))
    where credential.trust != nil && credential.trust?.certificates.first?.x509 == peer.certificates.first:
      return .proceed(.accepts(peer.certificates))
    case (.trust, .rejected): return .fail
    case (.trust(let peer), _): return peer.verdict.isTrusted ? .proceed(.trusts(peer.certificates)) : .fail
    case (.identity, .credential(let credential)):
      return .proceed(.identifies(credential.clientIdentity.map { .identity($0) } ?? .none))
    case (.identity, _): return .proceed(.identifies(.none))
    }
  }
}

extension CurlSession.Answers {
  mutating func record(_ change: ConnectionQuestion.Change, of endpoint: TLSEndpoint) {
    switch change {
    case .accepts(let certificates): self[endpoint, default: .init()].acceptedCertificates = certificates
    case .trusts(let chain): self[endpoint, default: .init()].trustedChains.insert(chain)
    case .identifies(let choice): self[endpoint, default: .init()].identity = choice
    }
  }
}

extension URLCredential {
  /// The identity with what is sent along; nil for a credential of another kind.
  var clientIdentity: ClientIdentity? {
    guard let identity = identity?.identity else { return nil }
    let intermediates = certificates.compactMap { ($0 as? SecCertificate)?.x509 }.filter { $0 != identity.certificate }
    return intermediates == identity.intermediates ? identity : identity.with(intermediates: intermediates)
  }
}
