internal import URLLoadingCurlTransport

extension ProxySettings {
  /// CFNetwork's keys: those of its settings (`kCFNetworkProxiesHTTPProxy` and so on), of one proxy (`kCFProxyTypeKey` …) and of streams
  /// (`kCFStreamPropertySOCKSUser` …). A proxy counts when it has a host and is not disabled.
  init(_ values: ProxyDictionary) {
    self.init()
    http = Self.server(values, "HTTP", kind: .http, port: 80)
    https = Self.server(values, "HTTPS", kind: .http, port: 443)
    ftp = Self.server(values, "FTP", kind: .http, port: 80)
    // The proxy resolves names, which this machine may not be able to.
    let kind: ProxyServer.Kind = Self.isSOCKS4(values) ? .socks4a : .socks5h
    socks = Self.server(values, "SOCKS", kind: kind, port: 1080)
    takeProxy(values, socks: kind)
    exceptions = values.texts("ExceptionsList")
    excludesSimpleHostnames = (values.number("ExcludeSimpleHostnames") ?? 0) != 0
  }

  private static func isSOCKS4(_ values: ProxyDictionary) -> Bool {
    let keys = ["kCFStreamPropertySOCKSVersion", "SOCKSVersion"]
    return keys.contains { values.text($0)?.hasSuffix("4") ?? (values.number($0) == 4) }
  }

  private static func server(
    _ values: ProxyDictionary, _ prefix: String, kind: ProxyServer.Kind, port: Int
  ) -> ProxyServer? {
    guard let host = values.text("\(prefix)Proxy"), values.number("\(prefix)Enable") ?? 1 != 0 else { return nil }
    return server(
      host, kind, port: values.number("\(prefix)Port"), defaultPort: port,
      user: values.text("\(prefix)User", "kCFStreamProperty\(prefix)User", "kCFProxyUsernameKey"),
      password: values.text("\(prefix)Password", "kCFStreamProperty\(prefix)Password", "kCFProxyPasswordKey"))
  }

  /// A host of the form `https://name` is a proxy of HTTP that is spoken to over TLS, which CFNetwork's keys have no word for.
  private static func server(
    _ host: String, _ kind: ProxyServer.Kind, port: Int?, defaultPort: Int, user: String?, password: String?
  ) -> ProxyServer? {
    guard host.contains("://") else {
      return ProxyServer(kind: kind, host: host, port: port ?? defaultPort, user: user, password: password)
    }
    guard kind == .http, let server = ProxyServer(parsing: host), !server.kind.isSOCKS else { return nil }
    return ProxyServer(
      kind: server.kind, host: server.host, port: port ?? server.port, user: user ?? server.user,
      password: password ?? server.password)
  }

  /// One proxy, as `CFNetworkCopyProxiesForURL` describes it, for what its type says. One of HTTP takes every URL.
  private mutating func takeProxy(_ values: ProxyDictionary, socks kind: ProxyServer.Kind) {
    guard let type = values.text("kCFProxyTypeKey"), let host = values.text("kCFProxyHostNameKey") else { return }
    let port = values.number("kCFProxyPortNumberKey")
    func server(_ kind: ProxyServer.Kind, _ defaultPort: Int) -> ProxyServer? {
      Self.server(
        host, kind, port: port, defaultPort: defaultPort, user: values.text("kCFProxyUsernameKey"),
        password: values.text("kCFProxyPasswordKey"))
    }
    switch type {
    case "kCFProxyTypeHTTP":
      let proxy = server(.http, 80)
      (http, https, ftp) = (http ?? proxy, https ?? proxy, ftp ?? proxy)
    case "kCFProxyTypeHTTPS": https = https ?? server(.http, 443)
    case "kCFProxyTypeFTP": ftp = ftp ?? server(.http, 80)
    case "kCFProxyTypeSOCKS": socks = socks ?? server(kind, 1080)
    default: break
    }
  }
}
