/// What cookies need to know of a request: where it goes, and on whose behalf.
struct CookieOrigin {
  /// In lower case, addresses without brackets.
  let host: String
  let path: String
  /// Whether the connection is encrypted. A loopback host counts as any other: RFC 6265bis 5.8.3 leaves that to the user agent, and what
  /// is set without encryption for `localhost` would be sent to whoever has the port tomorrow.
  let isSecure: Bool
  /// The part of the host name under which cookies are kept: the registrable domain, or the host itself.
  let site: String
  /// Whether the request is part of a document of another registrable domain, which is what accept policies ask.
  let isForeign: Bool
  /// Whether it is part of a document of another site (RFC 6265bis 5.2), which is what SameSite asks: a site is a scheme, too.
  let isCrossSite: Bool

  /// Nil for a URL without a host, and for that of a Unix socket: they have no cookies.
  init?(_ url: URL, mainDocumentURL: URL? = nil) {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return nil }
    let scheme = url.scheme?.lowercased()
    guard scheme?.hasSuffix("+unix") != true else { return nil }
    self.host = host
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path
    isSecure = Self.isSecure(scheme)
    site = PublicSuffixes.site(of: host)
    guard let mainDocumentURL, let document = mainDocumentURL.host(percentEncoded: false)?.lowercased() else {
      (isForeign, isCrossSite) = (false, false)
      return
    }
    isForeign = document != host && PublicSuffixes.site(of: document) != site
    isCrossSite = isForeign || Self.isSecure(mainDocumentURL.scheme?.lowercased()) != isSecure
  }

  /// - Parameter scheme: in lower case.
  private static func isSecure(_ scheme: String?) -> Bool { scheme == "https" || scheme == "wss" }
}

extension HTTPCookie {
  /// Whether the cookie goes to a request, or comes from one, of that site (RFC 6265bis 5.7, step 18, and 5.8.3).
  ///
  /// A request of another site than its document's is never a navigation, which would be its own document: what `Lax` allows more than
  /// `Strict` does not come up. Without a policy of its own a cookie goes everywhere, as on Apple's systems; RFC 6265bis would have it
  /// treated as `Lax`, which no code that names documents expects.
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
    case .onlyFromMainDocumentDomain: !origin.isForeign
    }
  }
}
