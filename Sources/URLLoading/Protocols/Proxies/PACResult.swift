internal import URLLoadingCurlTransport

/// What a proxy auto-config script returns, such as `PROXY a.example:3128; SOCKS b.example; DIRECT`. A value without I/O.
///
/// `PROXY` and `HTTP` are proxies of HTTP, `HTTPS` the same over TLS. `SOCKS` is version 5, as for CFNetwork, whose SOCKS proxies are of that
/// version unless a dictionary says otherwise; `SOCKS4` and `SOCKS5` name it. Any other is passed over, as are
/// entries without a usable host or port.
enum PACResult {
  /// - Returns: the proxies in their order, nil for a direct connection; nil where the text names none and no direct connection.
  static func candidates(_ text: String) -> [ProxyServer?]? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // "If the JavaScript function returns null, no proxies are used" (Netscape's format, which libpacparser writes as text).
    if text.isEmpty || text == "null" { return [nil] }
    let candidates = text.split(separator: ";").compactMap { candidate(String($0)) }
    return candidates.isEmpty ? nil : candidates
  }

  /// The outer nil is for what is passed over.
  private static func candidate(_ entry: String) -> ProxyServer?? {
    let words = entry.split(whereSeparator: \.isWhitespace)
    guard let kind = words.first?.uppercased() else { return nil }
    if kind == "DIRECT" { return words.count == 1 ? .some(nil) : nil }
    guard words.count == 2, let form = form(of: kind) else { return nil }
    return server(String(words[1]), form.kind, port: form.port).map { .some($0) }
  }

  private static func form(of kind: String) -> (kind: ProxyServer.Kind, port: Int)? {
    switch kind {
    case "PROXY", "HTTP": (.http, 80)
    case "HTTPS": (.https, 443)
    // Names are resolved by the proxy, which this machine may not be able to.
    case "SOCKS", "SOCKS5": (.socks5h, 1080)
    case "SOCKS4": (.socks4a, 1080)
    default: nil
    }
  }

  /// A script has no say in where logins go: a user and a password are not taken.
  private static func server(_ authority: String, _ kind: ProxyServer.Kind, port: Int) -> ProxyServer? {
    guard !authority.contains(where: { "@/?#%\\".contains($0) }) else { return nil }
    let hasPort = authority.hasSuffix("]") ? false : authority.contains(":")
    guard let server = ProxyServer(parsing: "\(kind.rawValue)://\(authority)") else { return nil }
    return hasPort ? server : ProxyServer(kind: kind, host: server.host, port: port)
  }
}
