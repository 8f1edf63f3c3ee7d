internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// How the connections of a session's loads are evaluated.
extension CurlSession {
  typealias Answers = [TLSEndpoint: ConnectionSecurity.Answer]
  typealias IdentityChoice = ConnectionSecurity.IdentityChoice

  /// An identity that was given for a server, by the delegate that gave it.
  struct IdentityKey: Hashable {
    let evaluator: URLConnectionJudge
    let endpoint: TLSEndpoint
  }

  /// The security of a transfer; nil where libcurl's rules do, and its connections are for all.
  ///
  /// - Parameters:
  ///   - request: its URL, and the proxy that was chosen for it.
  ///   - evaluator: who is asked about its connections.
  ///   - requirements: what servers have to keep in any case.
  ///   - isKnownHost: whether nobody may accept the server where it is not trusted.
  ///   - login: the scheme and the user of a login that belongs to connections; nil for none.
  ///   - answers: what was answered in this load.
  func security(
    for request: TransferRequest, evaluator: URLConnectionJudge?, requirements: TransportSecurityRequirements?,
    isKnownHost: Bool = false, login: String? = nil, answers: Answers?
  ) -> ConnectionSecurity? {
    let usesTLS = (evaluator != nil || requirements != nil) && usesTLS(for: request)
    guard usesTLS || login != nil else { return nil }
    var pool = ConnectionPoolKey()
    pool.login = login
    guard usesTLS else { return ConnectionSecurity(pool: pool) }
    pool.hasRequirements = requirements != nil
    var security = ConnectionSecurity(pool: pool)
    security.requirements = requirements.map { TLSRequirements($0) }
    security.isKnownHost = isKnownHost
    guard let evaluator else { return security }
    security.pool.trustEvaluator = evaluator.number
    security.asksForTrust = true
    security.asksForIdentity = true
    security.answers = answers ?? [:]
    // Those of all Unix sockets have the same name.
    let known = request.unixSocket == nil ? endpoints(of: request) : []
    for endpoint in known where security.answers[endpoint]?.identity == nil {
      guard let known = identities.withLock({ $0[IdentityKey(evaluator: evaluator, endpoint: endpoint)] }) else {
        continue
      }
      security.answers[endpoint, default: .init()].identity = .identity(known)
    }
    security.pool.identity = Self.fingerprint(security.answers)
    return security
  }

  private func usesTLS(for request: TransferRequest) -> Bool {
    if request.url.utf8.prefix(6).elementsEqual("https:".utf8) || request.ftpTLS == .explicit { return true }
    return proxy(of: request)?.kind == .https
  }

  private func proxy(of request: TransferRequest) -> ProxyServer? {
    switch request.proxy {
    case .configured: engine.proxy(for: request.url)
    case .direct: nil
    case .through(let proxy): proxy
    }
  }

  /// The TLS endpoints: the server, and an HTTPS proxy before it.
  private func endpoints(of request: TransferRequest) -> [TLSEndpoint] {
    let proxy = proxy(of: request).flatMap { proxy in
      proxy.kind == .https ? TLSEndpoint(host: proxy.host, port: proxy.port, isProxy: true) : nil
    }
    return [TLSEndpoint(url: request.url), proxy].compactMap { $0 }
  }

  /// What connections with these identities have in common; nil for none.
  private static func fingerprint(_ answers: Answers) -> Data? {
    let all = answers.values.compactMap { answer -> Data? in
      if case .identity(let identity)? = answer.identity { identity.certificate.fingerprint } else { nil }
    }
    return all.isEmpty ? nil : all.sorted { $0.lexicographicallyPrecedes($1) }.reduce(Data(), +)
  }

  /// Later loads log in to a server with this identity, without a challenge.
  func remember(_ identity: ClientIdentity, for endpoint: TLSEndpoint, of evaluator: URLConnectionJudge) {
    identities.withLock { identities in
      // A session talks to few servers that want identities; beyond that a challenge more does no harm.
      if identities.count >= Self.mostIdentities { identities.removeAll() }
      identities[IdentityKey(evaluator: evaluator, endpoint: endpoint)] = identity
    }
  }

  /// A server refused an identity, or the session is reset.
  func forgetIdentities(of endpoint: TLSEndpoint) {
    identities.withLock { identities in identities = identities.filter { $0.key.endpoint != endpoint } }
  }

  private static let mostIdentities = 256
}
