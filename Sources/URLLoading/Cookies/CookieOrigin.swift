/// What cookies need to know of a request: where it goes, and on whose behalf.
struct CookieOrigin {
  /// In lower case, addresses without brackets.
  let host: String
  let path: String
  /// Whether the connection is encrypted. A loopback host counts as any other.
  let isSecure: Bool
  /// The part of the host name under which cookies are kept: the registrable domain, or the host itself.
  let site: String
  /// Whether the request is part of a document of another site.
  let isCrossSite: Bool

  /// Nil for a URL without a host, which has no cookies.
  init?(_ url: URL, mainDocumentURL: URL? = nil) {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return nil }
    self.host = host
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path
    isSecure = url.scheme.map { ["https", "wss"].contains($0.lowercased()) } ?? false
    site = PublicSuffixes.site(of: host)
    if let document = mainDocumentURL?.host(percentEncoded: false)?.lowercased(), document != host {
      isCrossSite = PublicSuffixes.site(of: document) != site
    } else {
      isCrossSite = false
    }
  }
}

extension HTTPCookie {
  /// Whether the cookie goes to a request of that site: its own, or any where it has no policy that says otherwise.
  func mayGo(to origin: CookieOrigin) -> Bool {
    !origin.isCrossSite || sameSitePolicy != .sameSiteLax && sameSitePolicy != .sameSiteStrict
  }
}

extension HTTPCookie.AcceptPolicy {
  /// Whether cookies of a response are taken at all.
  func accepts(from origin: CookieOrigin) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .onlyFromMainDocumentDomain: !origin.isCrossSite
    }
  }
}
