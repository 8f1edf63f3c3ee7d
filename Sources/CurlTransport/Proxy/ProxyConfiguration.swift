internal import URLLoadingBase

/// Where an engine's proxies come from.
package enum ProxyConfiguration: Sendable, Equatable {
  /// `http_proxy`, `https_proxy`, `ftp_proxy`, `all_proxy` and `no_proxy`, read when the engine is made.
  case environment
  /// No proxy, whatever the environment says.
  case direct
  /// These, and the environment is ignored.
  case settings(ProxySettings)
}

/// Proxies by the scheme of the URL to load.
package struct ProxySettings: Sendable, Equatable {
  package var http: ProxyServer?
  package var https: ProxyServer?
  package var ftp: ProxyServer?
  /// For schemes that have none of their own.
  package var socks: ProxyServer?
  /// Hosts to connect to directly: a name (with all below it), a pattern with `*`, an address, or a range in CIDR form.
  package var exceptions: [String] = []
  /// Names without a dot are connected to directly.
  package var excludesSimpleHostnames = false

  package init() {}

  var isEmpty: Bool { http == nil && https == nil && ftp == nil && socks == nil }
}

/// A proxy.
package final class ProxyServer: Sendable, Equatable {
  /// How to speak to it; the raw value is libcurl's scheme for it.
  package enum Kind: String, Sendable {
    /// HTTP: requests for `http` URLs, tunnels by CONNECT for all else (RFC 9110 section 9.3.6).
    case http
    /// The same over TLS.
    case https
    case socks4
    /// SOCKS 4 that resolves the host's name.
    case socks4a
    /// SOCKS 5 (RFC 1928), the host's name resolved here.
    case socks5
    /// SOCKS 5 that resolves the host's name.
    case socks5h

    package var isSOCKS: Bool {
      switch self {
      case .http, .https: false
      case .socks4, .socks4a, .socks5, .socks5h: true
      }
    }
  }

  package let kind: Kind
  /// A name or an address; IPv6 without brackets.
  package let host: String
  package let port: Int
  package let user: String?
  package let password: String?
  /// The variable of the environment that should name the proxy, and has no proxy's form: what it is for cannot be loaded.
  package let malformedVariable: String?

  package init(kind: Kind = .http, host: String, port: Int, user: String? = nil, password: String? = nil) {
    malformedVariable = nil
    self.kind = kind
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  /// What stands for the proxy of a variable that names none.
  init(malformedVariable: String) {
    (kind, host, port, user, password) = (.http, "", 0, nil, nil)
    self.malformedVariable = malformedVariable
  }

  package static func == (first: ProxyServer, second: ProxyServer) -> Bool {
    first.kind == second.kind && first.host == second.host && first.port == second.port && first.user == second.user
      && first.password == second.password && first.malformedVariable == second.malformedVariable
  }

  /// Whether both are the same proxy, regardless of their logins.
  package func isSamePlace(as other: ProxyServer) -> Bool {
    kind == other.kind && host == other.host && port == other.port
  }

  /// The form that libcurl takes, without user and password.
  var url: String {
    let host = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(kind.rawValue)://\(host):\(port)"
  }

  /// Reads `[scheme://][user[:password]@]host[:port]`, the form of the environment's variables.
  package convenience init?(parsing text: String) {
    var rest = Substring(text)
    var kind = Kind.http
    if let separator = rest.range(of: "://") {
      let scheme = rest[..<separator.lowerBound].lowercased()
      guard let known = scheme == "socks" ? .socks4 : Kind(rawValue: scheme) else { return nil }
      kind = known
      rest = rest[separator.upperBound...]
    }
    if let end = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) { rest = rest[..<end] }
    var user: String?
    var password: String?
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = Self.decoded(parts[0])
      if parts.count > 1 { password = Self.decoded(parts[1]) }
      rest = rest[rest.index(after: at)...]
    }
    let host: Substring
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest.dropFirst(host.count)
    }
    guard !host.isEmpty, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
    // libcurl's default ports for proxies.
    var port = kind == .https ? 443 : 1080
    if rest.first == ":", rest.count > 1 {
      guard let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
      port = Int(number)
    } else if !rest.isEmpty, rest != ":" {
      return nil
    }
    self.init(kind: kind, host: String(host), port: port, user: user, password: password)
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decoded(Array(text.utf8)), as: UTF8.self)
  }
}
