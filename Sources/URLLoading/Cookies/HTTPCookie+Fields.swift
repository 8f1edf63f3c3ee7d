extension HTTPCookie {
  /// The `Cookie` field for cookies, in their order; no field at all for no cookies.
  public class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
    cookies.isEmpty ? [:] : ["Cookie": fieldValue(for: cookies)]
  }

  /// The cookies that a response sets, as far as a server at that URL may set them (RFC 6265bis 5.7).
  ///
  /// Expired cookies are among them: storing one removes the stored cookie. A cookie without a path gets `/`;
  /// those that loads store by themselves get the directory of the request's path (RFC 6265bis 5.1.4).
  ///
  /// - Parameters:
  ///   - headerFields: the response's fields. One `Set-Cookie` value may hold several cookies, separated by commas.
  ///   - URL: where the response came from.
  public class func cookies(withResponseHeaderFields headerFields: [String: String], for URL: URL) -> [HTTPCookie] {
    guard let origin = CookieOrigin(URL) else { return [] }
    return HTTPFields(headerFields).values(of: "Set-Cookie").flatMap(SetCookieSplitter.split).compactMap {
      HTTPCookie(setCookie: $0, origin: origin, defaultPath: "/")
    }
  }

  /// `name=value; name=value`; a cookie without a name is its value alone.
  static func fieldValue(for cookies: [HTTPCookie]) -> String {
    var result = ""
    for cookie in cookies {
      if !result.isEmpty { result += "; " }
      if !cookie.contents.name.isEmpty {
        result += cookie.contents.name
        result += "="
      }
      result += cookie.contents.value
    }
    return result
  }

  /// A cookie from one `Set-Cookie` value. Nil if it is malformed, for a public suffix or a domain that the host is
  /// not in, or without the attributes that its name's prefix requires (RFC 6265bis 5.7).
  ///
  /// - Parameter defaultPath: the path of a cookie that names none; nil for what the request's path gives.
  convenience init?(setCookie text: String, origin: CookieOrigin, defaultPath: String? = nil, now: Date = Date()) {
    guard let parsed = SetCookie(text) else { return nil }
    var domain = origin.host
    if let wanted = parsed.domain.map(CookieMatching.asciiDomain) {
      if wanted == origin.host {
        // A public suffix or an address is a domain of one host.
        let isSingle = CookieMatching.isAddress(wanted) || PublicSuffixes.isPublicSuffix(wanted)
        domain = isSingle ? wanted : "." + wanted
      } else {
        guard CookieMatching.domainMatches(host: origin.host, domain: wanted),
          !PublicSuffixes.isPublicSuffix(wanted)
        else { return nil }
        domain = "." + wanted
      }
    }
    guard Self.fulfilsPrefix(parsed) else { return nil }
    self.init(
      Contents(
        name: parsed.name, value: parsed.value, domain: domain,
        path: parsed.path ?? defaultPath ?? CookieMatching.defaultPath(requestPath: origin.path),
        expires: parsed.expiry(now: now), isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly,
        sameSite: parsed.sameSite, version: parsed.version, comment: parsed.comment))
  }

  /// `__Secure-` and `__Host-` in any case (RFC 6265bis 4.1.3). A cookie without a name whose value begins like
  /// that would be taken for one by a server.
  private static func fulfilsPrefix(_ cookie: SetCookie) -> Bool {
    if cookie.name.isEmpty {
      return !["__secure-", "__host-"].contains { cookie.value.hasPrefixIgnoringASCIICase($0) }
    }
    if cookie.name.hasPrefixIgnoringASCIICase("__secure-") {
      return cookie.isSecure
    }
    if cookie.name.hasPrefixIgnoringASCIICase("__host-") {
      return cookie.isSecure && cookie.domain == nil && cookie.path == "/"
    }
    return true
  }
}
