internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// What a server has shown that is not trusted by itself, and why it is not: the program may accept it.
package struct BackgroundServerTrust: Codable, Sendable, Hashable {
  private struct Flaw: Codable, Sendable, Hashable {
    var code: Int
    var reason: String
  }

  private var host: String
  private var port: Int
  private var isProxy: Bool
  /// In DER, the server's own first.
  private var certificates: [Data]
  /// The first one is the one that was found first.
  private var flaws: [Flaw]
  /// In DER.
  private var stapledResponse: Data?

  /// In bytes: a question is one message.
  private static let largestSize = 256 << 10

  /// Nil for a space about something else, for a server that is trusted, and for one that shows more than a question has room for.
  package init?(_ space: URLProtectionSpace) {
    guard let peer = space.serverTrust?.peer, !peer.verdict.isTrusted else { return nil }
    host = peer.endpoint.host
    port = peer.endpoint.port
    isProxy = peer.endpoint.isProxy
    certificates = peer.certificates.map(\.der)
    flaws = peer.verdict.failures.map { Flaw(code: $0.code, reason: $0.reason) }
    stapledResponse = peer.stapledResponse
    let size = certificates.reduce(stapledResponse?.count ?? 0) { $0 + $1.count }
    guard size <= Self.largestSize else { return nil }
  }

  /// The space of the program's challenge; nil where a certificate cannot be read.
  /// - Parameters:
  ///   - scheme: that of the URL.
  ///   - authorities: the roots of the program's session.
  func space(scheme: String, _ authorities: TrustedAuthorities) -> URLProtectionSpace? {
    let chain = certificates.compactMap { X509Certificate(der: $0) }
    guard !chain.isEmpty, chain.count == certificates.count, !flaws.isEmpty else { return nil }
    var verdict = TrustVerdict.trusted
    for flaw in flaws { verdict.add(TrustVerdict(code: flaw.code, reason: flaw.reason)) }
    // The response is evaluated anew where the delegate judges by roots of its own.
    var peer = ShownPeer(
      endpoint: TLSEndpoint(host: host, port: port, isProxy: isProxy), certificates: chain, path: [], verdict: verdict,
      stapled: .absent)
    peer.stapledResponse = stapledResponse
    return URLProtectionSpace(
      host: host, port: port, isProxy: isProxy, scheme: scheme, method: NSURLAuthenticationMethodServerTrust,
      handshake: .trust(SecTrust(peer, authorities: authorities)))
  }
}
