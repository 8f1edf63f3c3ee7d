/// Who is at the other end of a TLS connection.
package struct TLSEndpoint: Sendable, Hashable {
  /// A name or an address, without brackets, in lower case.
  package let host: String
  package let port: Int
  /// An HTTPS proxy, not the server that the URL names.
  package let isProxy: Bool

  package init(host: String, port: Int, isProxy: Bool = false) {
    self.host = host.lowercased()
    self.port = port
    self.isProxy = isProxy
  }

  /// The server that a URL names; nil for a URL without a host. The port is 443 where the URL names none, and for FTP 21: TLS begins on
  /// the control connection (RFC 4217).
  package init?(url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    let rest = url[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let (host, port): (Substring, Substring)
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { return nil }
      host = place[place.index(after: place.startIndex)..<end]
      port = place[place.index(after: end)...].drop { $0 == ":" }
    } else {
      host = place.prefix { $0 != ":" }
      port = place[host.endIndex...].drop { $0 == ":" }
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: Int(port) ?? (url.prefix(3).lowercased() == "ftp" ? 21 : 443))
  }
}
