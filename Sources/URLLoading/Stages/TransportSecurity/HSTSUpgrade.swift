/// How a load of `http` becomes one of `https` (RFC 6797, section 8.3).
enum HSTSUpgrade {
  /// The request for `https` that takes the place of one for `http`; nil where that stays.
  /// - Parameter wantsSecurity: whether a host is known to want secure connections alone.
  static func securedRequest(for request: URLRequest, where wantsSecurity: (_ host: String) -> Bool) -> URLRequest? {
    guard let url = request.url, let target = secureURL(for: url, where: wantsSecurity) else { return nil }
    var secured = request
    secured.url = target
    // Else the document would be of another site than its parts (RFC 6265bis, section 5.2).
    if let document = request.mainDocumentURL, let target = secureURL(for: document, where: wantsSecurity) {
      secured.mainDocumentURL = target
    }
    return secured
  }

  private static func secureURL(for url: URL, where wantsSecurity: (_ host: String) -> Bool) -> URL? {
    guard isPlainHTTP(url), let host = url.host(percentEncoded: false), wantsSecurity(host) else { return nil }
    return secureURL(for: url)
  }

  /// Whether a URL is of the scheme `http`, and has a host.
  static func isPlainHTTP(_ url: URL) -> Bool {
    guard let scheme = url.scheme, scheme.utf8.count == 4 else { return false }
    return scheme.equalsIgnoringASCIICase("http")
  }

  /// The URL with the scheme `https`. The port 80 becomes 443, and any other that the URL names stays. Nil for a URL that is not of
  /// `http`, or has no host.
  static func secureURL(for url: URL) -> URL? {
    guard isPlainHTTP(url) else { return nil }
    // By its bytes: everything after the authority stays as it was written.
    let text = url.absoluteString
    guard let start = text.range(of: "://")?.upperBound else { return nil }
    let end = text.utf8[start...].firstIndex { "/?#\\".utf8.contains($0) } ?? text.endIndex
    guard start < end else { return nil }
    var authority = String(text[start..<end])
    let host = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority.utf8.index(after: $0) }
    let afterHost = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? host ?? authority.startIndex
    if let colon = authority.utf8[afterHost...].lastIndex(of: UInt8(ascii: ":")),
      Int(authority[authority.utf8.index(after: colon)...]) == 80
    {
      authority.replaceSubrange(colon..., with: ":443")
    }
    return URL(string: "https://" + authority + text[end...])
  }

  /// What stands in the metrics for the answer that the host would have given: a redirect that nobody sent. The fields are those that
  /// browsers show.
  static func response(from url: URL, to target: URL) -> HTTPURLResponse {
    HTTPURLResponse(
      url: url, statusCode: 307, httpVersion: "HTTP/1.1",
      fields: [("Location", target.absoluteString), ("Non-Authoritative-Reason", "HSTS")], isReceived: false)
  }
}
