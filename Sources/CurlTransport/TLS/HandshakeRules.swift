internal import URLLoadingX509

/// Decides whether a handshake continues, given the server's certificates. A value without I/O.
struct HandshakeRules {
  enum Outcome: Equatable {
    case proceed(ConnectionVerification)
    /// End the handshake, and have the owner evaluate the trust.
    case ask
    case refuse(TransferFailure.Reason)
  }

  let security: ConnectionSecurity

  func evaluate(_ peer: ShownPeer) -> Outcome {
    // A proxy is another host than the one that the rules are for.
    if !peer.endpoint.isProxy {
      if let violation = security.requirements?.violation(by: peer) { return .refuse(.brokenRequirement(violation)) }
      if let reason = security.refusal(of: peer.verdict) { return .refuse(reason) }
    }
    guard security.asksForTrust else {
      return peer.verdict.isTrusted ? .proceed(ConnectionVerification(peer)) : .refuse(.untrustedServer(peer.verdict))
    }
    let answer = security.answers[peer.endpoint]
    if peer.verdict.isTrusted, answer?.trustedChains.contains(peer.certificates) == true {
      return .proceed(ConnectionVerification(peer))
    }
    guard let accepted = answer?.acceptedCertificates else { return .ask }
    // Exactly the chain that the owner saw: another server or an interceptor would have another.
    return accepted == peer.certificates
      ? .proceed(ConnectionVerification(peer)) : .refuse(.changedCertificates(host: peer.endpoint.host))
  }
}
