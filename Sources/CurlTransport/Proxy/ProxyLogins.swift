internal import URLLoadingBase

/// The logins that SOCKS proxies have taken, so that later connections begin with them: a proxy that is not told who asks ends the
/// connection (RFC 1928, section 3).
///
/// Proxies of HTTP need none: a request that lacks its login is answered.
///
/// Mutable state: `known`, guarded by its lock.
package final class ProxyLogins: Sendable {
  private struct Entry: Sendable {
    var proxy: ProxyServer
    var credential: TransferCredential
  }

  /// A few at most: searched without a table.
  private let known = Locked<[Entry]>([])
  private static let limit = 16

  package init() {}

  /// Uses a login for a proxy from now on.
  package func remember(_ credential: TransferCredential, for proxy: ProxyServer) {
    guard proxy.kind.isSOCKS, proxy.user == nil else { return }
    known.withLock { known in
      known.removeAll { $0.proxy == proxy }
      if known.count == Self.limit { known.removeFirst() }
      known.append(Entry(proxy: proxy, credential: credential))
    }
  }

  /// The proxy has refused its login.
  package func forget(_ proxy: ProxyServer) {
    known.withLock { known in known.removeAll { $0.proxy.isSamePlace(as: proxy) } }
  }

  /// A proxy with the login that it has taken before, if there is one.
  func completed(_ proxy: ProxyServer?) -> ProxyServer? {
    guard let proxy, proxy.kind.isSOCKS, proxy.user == nil,
      let entry = known.withLock({ known in known.first { $0.proxy == proxy } })
    else { return proxy }
    return ProxyServer(
      kind: proxy.kind, host: proxy.host, port: proxy.port, user: entry.credential.user,
      password: entry.credential.password)
  }
}
