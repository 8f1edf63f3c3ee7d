internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingX509

// Safe to share: see below; everything else is immutable.
/// A server's certificate chain, and its evaluation.
///
/// The delegate gets it with a challenge (`protectionSpace.serverTrust`), evaluated with the roots of the session's
/// configuration, for the host of the connection. Changing anchors, policies or the date evaluates it again.
///
/// Mutable state: `state`, guarded by its lock.
public final class SecTrust: NSObject, @unchecked Sendable {
  private struct State {
    var policies: [SecPolicy]
    var anchors: [SecCertificate]?
    var anchorsOnly: Bool?
    var date: Date?
    /// Nil after a change.
    var result: (verdict: TrustVerdict, path: [X509Certificate])?
    /// A failure that counts as none; see ``SecTrustSetExceptions(_:_:)``.
    var exception: Data?
  }

  private let sent: [SecCertificate]
  private let authorities: TrustedAuthorities
  /// The server of the connection, and what it stapled; nil for a chain of the program's own.
  let peer: ShownPeer?
  private let state: Locked<State>

  /// The chain of a connection.
  init(_ peer: ShownPeer, authorities: TrustedAuthorities) {
    self.peer = peer
    self.authorities = authorities
    sent = peer.certificates.map { SecCertificate($0) }
    let policies = [SecPolicy(.server(host: peer.endpoint.host))]
    state = Locked(State(policies: policies, result: (peer.verdict, peer.path)))
  }

  /// A chain of the program's own, evaluated by the system's roots.
  /// - Parameters:
  ///   - certificates: the one to evaluate first, then the authorities between it and a root in any order.
  ///   - policies: all have to be kept.
  public init(certificates: [SecCertificate], policies: [SecPolicy]) {
    peer = nil
    authorities = TLSConfiguration().authorities
    sent = certificates
    state = Locked(State(policies: policies))
  }

  /// The certificates, the server's own first, then what it sent along.
  public var certificates: [SecCertificate] { sent }

  /// The host that the first certificate has to be for; nil where the policy names none.
  public var host: String? {
    state.withLock { state in
      state.policies.lazy.compactMap { policy -> String? in
        if case .server(let host) = policy.purpose { host } else { nil }
      }.first
    }
  }

  /// What the OCSP response that the server sent along says (RFC 6066, section 8).
  public var stapledResponse: URLSessionTaskTransactionMetrics.StapledOCSPResponse { .init(peer?.stapled ?? .absent) }

  /// Evaluates the chain.
  /// - Throws: ``SecurityError`` with what is wrong.
  public func evaluate() throws {
    let verdict = result.verdict
    guard !verdict.isTrusted, state.withLock({ $0.exception }) != exception(for: verdict) else { return }
    throw SecurityError(verdict)
  }

  /// From the first certificate up to a root; as far as there is one.
  var path: [SecCertificate] {
    let path = result.path
    return path.isEmpty ? sent : path.map { SecCertificate($0) }
  }

  /// What makes this failure of this chain count as none.
  func exception() -> Data { exception(for: result.verdict) }

  private func exception(for verdict: TrustVerdict) -> Data {
    let codes = verdict.failures.map(\.code).sorted().map { "\($0) " }.joined()
    return Data(codes.utf8) + (sent.first?.fingerprint ?? Data())
  }

  private var result: (verdict: TrustVerdict, path: [X509Certificate]) {
    let copy = state.withLock { $0 }
    if let result = copy.result { return result }
    // Outside of the lock: evaluation takes some milliseconds. Two that evaluate at once come to the same.
    let result = evaluate(copy)
    state.withLock { $0.result = result }
    return result
  }

  private func evaluate(_ state: State) -> (verdict: TrustVerdict, path: [X509Certificate]) {
    var last: (verdict: TrustVerdict, path: [X509Certificate]) = (.trusted, [])
    for policy in state.policies.isEmpty ? [SecPolicy(.anything)] : state.policies {
      var evaluation = TrustEvaluation(host: nil, authorities: authorities)
      if case .server(let host) = policy.purpose { evaluation.host = host } else { evaluation.isForServers = false }
      evaluation.anchors = state.anchors.map { $0.map { $0.x509 } }
      // As on Apple's systems: anchors of one's own are the only ones unless the program says otherwise.
      evaluation.usesAuthorities = !(state.anchorsOnly ?? (state.anchors != nil))
      if !evaluation.usesAuthorities, evaluation.anchors == nil { evaluation.anchors = [] }
      evaluation.date = state.date
      last = evaluation.evaluate(sent.map { $0.x509 })
      // The response was signed in the name of an authority that may be trusted only now.
      let stapled = peer?.stapledResponse.map { evaluation.status(in: $0, for: last.path) } ?? .absent
      if peer != nil, let leaf = sent.first?.x509, let reason = stapled.refusal(of: leaf) {
        last.verdict.add(.revoked(reason))
      }
      if !last.verdict.isTrusted { return last }
    }
    return last
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.result = nil
    }
  }

  func set(policies: [SecPolicy]) { change { $0.policies = policies } }
  func set(anchors: [SecCertificate]?) { change { $0.anchors = anchors } }
  func set(anchorsOnly: Bool) { change { $0.anchorsOnly = anchorsOnly } }
  func set(date: Date?) { change { $0.date = date } }
  func set(exception: Data?) { state.withLock { $0.exception = exception } }

  /// The host and the subject.
  public override var description: String {
    "<SecTrust { host: \(host ?? "any"), subject: \(sent.first?.subject ?? "none"), certificates: \(sent.count) }>"
  }
}

extension SecurityError {
  /// OpenSSL's number for a failure as the framework's.
  init(_ verdict: TrustVerdict) {
    let gravest = verdict.gravest
    let status: OSStatus =
      switch gravest.code {
      case 9, 11: errSecCertificateNotValidYet  // NOT_YET_VALID, CRL_NOT_YET_VALID
      case 10, 12: errSecCertificateExpired  // HAS_EXPIRED, CRL_HAS_EXPIRED
      case 2, 18, 19, 20, 21: errSecCreateChainFailed  // no issuer, self-signed
      case 23: errSecCertificateRevoked  // CERT_REVOKED
      case 62, 64: errSecHostNameMismatch  // HOSTNAME_MISMATCH, IP_ADDRESS_MISMATCH
      default: errSecNotTrusted
      }
    self.init(status: status, reason: "The certificate is not trusted: \(gravest.reason).")
  }
}
