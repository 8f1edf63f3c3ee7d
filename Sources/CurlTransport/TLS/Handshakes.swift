internal import URLLoadingX509

/// The TLS handshakes of a connection that a transfer opens: one with a server, or one with an HTTPS proxy and another through it.
// Loop thread only.
final class Handshakes {
  /// The peer of the current handshake.
  private(set) var endpoint: TLSEndpoint?
  /// The certificates that it has sent.
  var peer: ShownPeer?
  /// How the connection was verified, once the last handshake has been judged.
  private(set) var verification: ConnectionVerification?
  /// The peer of the current handshake wants a certificate, and gets none.
  var lacksIdentity = false
  private var proxyVerdict: TrustVerdict?
  /// The contexts that libcurl has made since it opened a socket.
  private var count = 0

  /// The connection is ready. A server that lacks our certificate may say so afterwards (RFC 8446, section 4.4.2.4).
  func end() {
    endpoint = nil
    peer = nil
    verification = nil
    proxyVerdict = nil
    count = 0
  }

  /// A handshake begins.
  /// - Parameters:
  ///   - url: that of the transfer.
  ///   - proxy: the one that the connection is through.
  /// - Returns: the peer; nil where the URL has no host.
  func begins(url: String, proxy: ProxyServer?) -> TLSEndpoint? {
    count += 1
    verification = nil
    peer = nil
    lacksIdentity = false
    if let proxy, proxy.kind == .https, count == 1 {
      endpoint = TLSEndpoint(host: proxy.host, port: proxy.port, isProxy: true)
    } else {
      endpoint = TLSEndpoint(url: url)
    }
    return endpoint
  }

  /// The handshake's server, or proxy, was verified, or accepted.
  func proceed(_ new: ConnectionVerification) {
    if endpoint?.isProxy == true {
      proxyVerdict = new.verdict
      verification = ConnectionVerification(ofProxy: new.verdict)
    } else {
      verification = new
      verification?.proxyVerdict = proxyVerdict
    }
  }
}
