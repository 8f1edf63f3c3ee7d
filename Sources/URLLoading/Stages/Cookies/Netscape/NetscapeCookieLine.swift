internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// A line of a ``NetscapeCookieFile``.
enum NetscapeCookieLine {
  /// What is wrong with a line. No description has anything of the cookie's value.
  enum LineError: Error, CustomStringConvertible {
    case fieldCount(Int)
    case switchField(name: String)
    case expiry
    case forbiddenCharacter
    case noDomain
    case path
    case empty
    case prefix

    var description: String {
      switch self {
      case .fieldCount(let count):
        "there are \(count) fields in place of 7, with a tab between each two: domain, subdomains, path, secure, expiry, name, value"
      case .switchField(let name): "the field \"\(name)\" is neither TRUE nor FALSE"
      case .expiry: "the expiry is no number of seconds since 1970"
      case .forbiddenCharacter: "there is a control character or a semicolon in a field, which no cookie may have"
      case .noDomain: "the domain is no name or address of a host"
      case .path: "the path does not begin with a slash"
      case .empty: "there is neither a name nor a value"
      case .prefix:
        "the cookie is not as its name promises: __Secure- and __Host- need TRUE for secure, __Host- no subdomains and the path /"
      }
    }
  }

  private static let httpOnlyPrefix = "#HttpOnly_"
  /// The end of the year 9999, in seconds since 1970.
  private static let latest: Double = 253_402_300_799

  /// The cookie of a line without its end; nil for a comment and an empty line.
  static func cookie(in line: Data) throws(LineError) -> HTTPCookie? {
    var line = line
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    let isHTTPOnly = line.starts(with: httpOnlyPrefix.utf8)
    if isHTTPOnly { line = line.dropFirst(httpOnlyPrefix.utf8.count) }
    guard isHTTPOnly || line.first != UInt8(ascii: "#"), line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
      return nil
    }
    // curl writes the octets that a server has sent.
    let text = OctetText(octets: line)
    var fields = text.text.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
    // Editors take away the tab before an empty value.
    if fields.count == 6 { fields.append("") }
    guard fields.count == 7 else { throw .fieldCount(fields.count) }
    let (hasSubdomains, isSecure) = (
      try flag(fields[1], name: "subdomains"), try flag(fields[3], name: "secure")
    )
    var contents = HTTPCookie.Contents(
      name: fields[5], value: fields[6], domain: try domain(fields[0], hasSubdomains: hasSubdomains), path: fields[2])
    contents.expires = try expiry(fields[4])
    contents.isSecure = isSecure
    contents.isHTTPOnly = isHTTPOnly
    contents.isLatin1 = text.isLatin1
    return try checked(contents)
  }

  private static func flag(_ text: String, name: String) throws(LineError) -> Bool {
    switch text.uppercased() {
    case "TRUE": return true
    case "FALSE": return false
    default: throw .switchField(name: name)
    }
  }

  /// A public suffix or an address is the domain of one host, whatever the line says.
  private static func domain(_ text: String, hasSubdomains: Bool) throws(LineError) -> String {
    let bare = HTTPCookie.withoutDot(withoutPort(text).lowercased())
    let domain = CookieMatching.asciiDomain(bare)
    guard isHost(domain) else { throw .noDomain }
    let isShared = hasSubdomains && !CookieMatching.isAddress(domain) && !PublicSuffixes.isPublicSuffix(domain)
    return isShared ? ".\(domain)" : domain
  }

  /// wget writes a port that is not the default after the host. No cookie is of a port (RFC 6265, section 8.5).
  private static func withoutPort(_ text: String) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].allSatisfy(\.isASCIIDigit) else {
      return text
    }
    return String(Substring(parts[0]))
  }

  private static func isHost(_ domain: String) -> Bool {
    let isPlain = domain.utf8.allSatisfy { $0.isTokenCharacter || $0 == UInt8(ascii: ":") }
    return isPlain && !domain.isEmpty && domain.utf8.first != UInt8(ascii: ".")
      && domain.utf8.first != UInt8(ascii: "#")
  }

  /// Some programs write fractions; Python writes nothing for a cookie that ends with the session.
  private static func expiry(_ text: String) throws(LineError) -> Date? {
    if text.isEmpty { return nil }
    guard text.utf8.contains(where: \.isASCIIDigit),
      text.utf8.allSatisfy({ $0.isASCIIDigit || "-.".utf8.contains($0) }),
      let seconds = Double(text)
    else { throw .expiry }
    return seconds == 0 ? nil : Date(timeIntervalSince1970: min(max(seconds, -latest), latest))
  }

  private static func checked(_ contents: HTTPCookie.Contents) throws(LineError) -> HTTPCookie {
    for text in [contents.domain, contents.path, contents.name, contents.value] {
      if text.utf8.contains(where: { SetCookie.isControl($0) || $0 == UInt8(ascii: ";") }) { throw .forbiddenCharacter }
    }
    guard !contents.name.utf8.contains(UInt8(ascii: "=")) else { throw .forbiddenCharacter }
    guard contents.path.utf8.first == UInt8(ascii: "/") else { throw .path }
    guard !contents.name.isEmpty || !contents.value.isEmpty else { throw .empty }
    let cookie = HTTPCookie(contents)
    guard cookie.fulfilsPrefix else { throw .prefix }
    return cookie
  }

  /// The line of a cookie, without its end; nil where it has no form in this format.
  static func text(for cookie: HTTPCookie) -> String? {
    let contents = cookie.contents
    let texts = [contents.domain, contents.path, contents.name, contents.value]
    guard !texts.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }),
      isHost(cookie.bareDomain)
    else { return nil }
    // Rounded up, and never to 0, which would make it end with the session.
    let seconds = contents.expires.flatMap { $0.timeIntervalSince1970.isNaN ? nil : $0.timeIntervalSince1970 }
    let expiry = seconds.map { Int64(min(max($0.rounded(.up), 1), latest)) } ?? 0
    let fields = [
      contents.domain, cookie.isHostOnly ? "FALSE" : "TRUE", contents.path, contents.isSecure ? "TRUE" : "FALSE",
      String(expiry), contents.name, contents.value,
    ]
    return (contents.isHTTPOnly ? httpOnlyPrefix : "") + fields.joined(separator: "\t")
  }
}
