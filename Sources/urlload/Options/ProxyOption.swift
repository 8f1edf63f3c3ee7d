import Foundation

/// A proxy, given as a URL.
struct ProxyOption: Equatable, Sendable {
  enum Kind: String, Equatable, Sendable {
    case http
    case socks4
    case socks5
  }

  let kind: Kind
  let host: String
  let port: Int
  let user: String?
  let password: String?
  /// Hosts that are reached without it.
  let exceptions: [String]

  /// Reads `http://host:port`, `socks4://…` or `socks5://user:password@host:port`.
  /// - Parameters:
  ///   - login: `user:password`, where the URL has none.
  ///   - exceptions: hosts, separated by commas.
  init(_ text: String, login: String? = nil, exceptions: String? = nil) throws(Failure) {
    let advice = "write it as http://HOST:PORT, socks4://HOST:PORT or socks5://HOST:PORT"
    let components = URLComponents(string: text.contains("://") ? text : "http://\(text)")
    guard let components, let scheme = components.scheme?.lowercased(), let host = components.host, !host.isEmpty
    else { throw Failure(.usage, "the proxy cannot be used", SafeText.url(text), advice: advice) }
    switch scheme {
    case "http": kind = .http
    case "socks4", "socks4a": kind = .socks4
    case "socks", "socks5", "socks5h": kind = .socks5
    default: throw Failure(.usage, "there are no proxies of the kind \"\(scheme)\"", SafeText.url(text), advice: advice)
    }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    // curl's, where none is given, is the same for all.
    port = components.port ?? 1080
    let given = login.map(OptionReader.login)
    user = components.user ?? given?.user
    password = components.password ?? given?.password
    self.exceptions = (exceptions ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  /// The proxy's address, for messages.
  var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// For `URLSessionConfiguration.connectionProxyDictionary`: the proxy of every scheme.
  var dictionary: [AnyHashable: Any] {
    var result: [AnyHashable: Any] = [:]
    for prefix in kind == .http ? ["HTTP", "HTTPS", "FTP"] : ["SOCKS"] {
      result["\(prefix)Enable"] = 1
      result["\(prefix)Proxy"] = host
      result["\(prefix)Port"] = port
      if let user { result["\(prefix)User"] = user }
      if let password { result["\(prefix)Password"] = password }
    }
    if kind == .socks4 { result["SOCKSVersion"] = 4 }
    if !exceptions.isEmpty { result["ExceptionsList"] = exceptions }
    return result
  }
}
