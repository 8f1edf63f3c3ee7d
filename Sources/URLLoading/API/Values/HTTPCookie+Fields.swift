internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

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

  /// The `Cookie` field with the octets that the cookies came with.
  static func field(for cookies: [HTTPCookie]) -> OctetText {
    guard cookies.contains(where: \.contents.isLatin1) else { return OctetText(fieldValue(for: cookies)) }
    let octets = cookies.map { OctetText(fieldValue(for: [$0]), isLatin1: $0.contents.isLatin1).octets }
    return OctetText(String(latin1: Array(octets.joined(separator: Array("; ".utf8)))), isLatin1: true)
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
  /// not in, for all sites without Secure, or without the attributes that its name's prefix requires (RFC 6265bis 5.7).
  ///
  /// - Parameter defaultPath: the path of a cookie that names none; nil for what the request's path gives.
  convenience init?(setCookie text: String, origin: CookieOrigin, defaultPath: String? = nil, now: Date = Date()) {
    self.init(setCookie: OctetText(text), origin: origin, defaultPath: defaultPath, now: now)
  }

  convenience init?(setCookie field: OctetText, origin: CookieOrigin, defaultPath: String? = nil, now: Date = Date()) {
    guard let parsed = SetCookie(field.text), let domain = Self.domain(of: parsed, from: origin) else { return nil }
    // Step 19.
    guard !parsed.allowsAllSites || parsed.isSecure else { return nil }
    self.init(
      Contents(
        name: parsed.name, value: parsed.value, domain: domain,
        path: parsed.path ?? defaultPath ?? CookieMatching.defaultPath(requestPath: origin.path),
        expires: parsed.expiry(now: now), isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly,
        sameSite: parsed.sameSite, version: parsed.version, comment: parsed.comment,
        commentURL: parsed.commentURL, isLatin1: field.isLatin1))
    // Step 21 wants the attributes in so many words, and an address is a domain of one host.
    if Self.hasHostPrefix(parsed.name) {
      guard parsed.hasPath, parsed.domain == nil || PublicSuffixes.isPublicSuffix(origin.host) else { return nil }
    }
    guard fulfilsPrefix else { return nil }
  }

  /// Steps 8 to 10: the domain, with a leading dot unless for one host alone; nil where the server may not set it.
  private static func domain(of cookie: SetCookie, from origin: CookieOrigin) -> String? {
    guard let wanted = cookie.domain else { return origin.host }
    // Names in other scripts are to be written as they go over the wire.
    guard wanted.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    guard wanted != origin.host else {
      // A public suffix or an address is a domain of one host.
      return CookieMatching.isAddress(wanted) || PublicSuffixes.isPublicSuffix(wanted) ? wanted : ".\(wanted)"
    }
    guard CookieMatching.domainMatches(host: origin.host, domain: wanted), !PublicSuffixes.isPublicSuffix(wanted)
    else { return nil }
    return ".\(wanted)"
  }

  private static func hasHostPrefix(_ name: String) -> Bool { name.hasPrefixIgnoringASCIICase("__host-") }

  /// Whether the cookie has what its name promises: `__Secure-` and `__Host-`, in any case (RFC 6265bis 5.4, and steps 20 to 22 of 5.7). A
  /// cookie without a name whose value begins like that would be taken for one by a server.
  var fulfilsPrefix: Bool {
    if contents.name.isEmpty {
      return !["__secure-", "__host-"].contains { contents.value.hasPrefixIgnoringASCIICase($0) }
    }
    if Self.hasHostPrefix(contents.name) { return contents.isSecure && isHostOnly && contents.path == "/" }
    return contents.isSecure || !contents.name.hasPrefixIgnoringASCIICase("__secure-")
  }
}
