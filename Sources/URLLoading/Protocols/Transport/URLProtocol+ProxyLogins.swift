internal import URLLoadingCurlTransport

extension URLProtocol {
  /// Has later connections of the session to a SOCKS proxy begin with a login, unless that is for one use alone.
  final func rememberLogin(_ credential: URLCredential, for proxy: ProxyServer?) {
    guard let proxy, credential.persistence != .none, let session = sessionClient?.session else { return }
    let login = TransferCredential(user: credential.user ?? "", password: credential.password ?? "", schemes: .basic)
    session.component(CurlSession.self).engine.proxyLogins.remember(login, for: proxy)
  }

  /// A SOCKS proxy has refused the login that it was given.
  final func forgetLogin(of proxy: ProxyServer) {
    sessionClient?.session.component(CurlSession.self).engine.proxyLogins.forget(proxy)
  }
}
