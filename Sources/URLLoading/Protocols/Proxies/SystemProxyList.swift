internal import URLLoadingCurlTransport

/// What libproxy returns: URLs of proxies in the order to try, `direct://` for none. A value without I/O.
enum SystemProxyList {
  /// - Returns: at least one; a direct connection where nothing else is understood.
  static func candidates(_ texts: [String]) -> [ProxyServer?] {
    let candidates = texts.compactMap(candidate)
    return candidates.isEmpty ? [nil] : candidates
  }

  /// The outer nil is for kinds that are not known here.
  private static func candidate(_ text: String) -> ProxyServer?? {
    guard let separator = text.range(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound].lowercased()
    let rest = text[separator.upperBound...]
    let kind: ProxyServer.Kind
    switch scheme {
    case "direct": return .some(nil)
    case "http": kind = .http
    case "https": kind = .https
    // Names are resolved by the proxy, as everywhere here. "socks" stands for any version.
    case "socks", "socks5", "socks5h": kind = .socks5h
    case "socks4", "socks4a": kind = .socks4a
    default: return nil
    }
    return ProxyServer(parsing: "\(kind.rawValue)://\(rest)").map { .some($0) }
  }
}
