import Foundation

/// How cookies and requests fit together (RFC 6265bis 5.1). Hosts and domains are given in lower case.
package enum CookieMatching {
  /// Whether a cookie for a domain goes to a host (5.1.3): the host is the domain or lies in it. An address
  /// lies in nothing.
  package static func domainMatches(host: String, domain: String) -> Bool {
    if host == domain { return true }
    guard host.utf8.count > domain.utf8.count, host.hasSuffix(domain),
      host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
    else { return false }
    return !isAddress(host)
  }

  /// Whether a cookie for a path goes to a request's path (5.1.4).
  package static func pathMatches(requestPath: String, cookiePath: String) -> Bool {
    guard requestPath.utf8.starts(with: cookiePath.utf8) else { return false }
    return requestPath.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
      || requestPath.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  /// The path of a cookie that names none (5.1.4): that of the request up to its last slash.
  package static func defaultPath(requestPath: String) -> String {
    guard requestPath.utf8.first == UInt8(ascii: "/"),
      let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")), slash > requestPath.startIndex
    else { return "/" }
    return String(requestPath[..<slash])
  }

  /// A domain in the form that hosts of URLs have: names in other scripts as `xn--…` (5.1.2).
  package static func asciiDomain(_ domain: String) -> String {
    guard !domain.utf8.allSatisfy({ $0 < 0x80 }) else { return domain }
    return URL(string: "http://\(domain)/")?.host(percentEncoded: false)?.lowercased() ?? domain
  }

  /// Whether a host is an IPv4 or IPv6 address.
  package static func isAddress(_ host: String) -> Bool {
    guard let last = host.utf8.last else { return false }
    // Most hosts end with a letter, and then only the colon of IPv6 makes an address.
    if host.utf8.contains(UInt8(ascii: ":")) { return true }
    guard last.isASCIIDigit else { return false }
    var address = in_addr()
    return inet_pton(AF_INET, host, &address) == 1
  }
}
