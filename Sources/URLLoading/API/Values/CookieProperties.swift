internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Converts between a cookie's contents and the dictionary of its properties. Values of a wrong type count as missing.
enum CookieProperties {
  /// Not in Apple's API: marks a cookie whose name and value have an octet in each character.
  private static let latin1 = HTTPCookiePropertyKey("URLLoading.latin1")

  static func contents(of properties: [HTTPCookiePropertyKey: Any], now: Date = Date()) -> HTTPCookie.Contents? {
    guard let name = string(properties[.name]), let value = string(properties[.value]),
      let path = string(properties[.path]), let domain = domain(properties),
      isSafe(name), !name.utf8.contains(UInt8(ascii: "=")), isSafe(value), isSafe(path), isSafe(domain),
      !(name.isEmpty && value.isEmpty)
    else { return nil }
    var contents = HTTPCookie.Contents(
      name: name, value: value, domain: domain, path: path.utf8.first == UInt8(ascii: "/") ? path : "/")
    // As Apple documents it: present means secure, whatever the value.
    contents.isSecure = properties[.secure] != nil
    contents.isHTTPOnly = flag(properties[.httpOnly])
    contents.version = text(properties[.version]).flatMap { Int($0) } == 1 ? 1 : 0
    contents.isLatin1 = properties[latin1] != nil && name.latin1Octets != nil && value.latin1Octets != nil
    contents.comment = string(properties[.comment])
    contents.commentURL = url(properties[.commentURL])
    let policy = properties[.sameSitePolicy]
    contents.sameSite =
      policy as? HTTPCookieStringPolicy
      ?? string(policy).map { HTTPCookieStringPolicy(rawValue: $0.lowercased()) }
    contents.ports = ports(properties[.port])
    contents.expires = flag(properties[.discard]) ? nil : expiry(properties, version: contents.version, now: now)
    return contents
  }

  static func properties(of contents: HTTPCookie.Contents) -> [HTTPCookiePropertyKey: Any] {
    var result: [HTTPCookiePropertyKey: Any] = [
      .name: contents.name, .value: contents.value, .domain: contents.domain, .path: contents.path,
      .version: String(contents.version),
    ]
    result[.expires] = contents.expires
    if contents.expires == nil { result[.discard] = "TRUE" }
    if contents.isSecure { result[.secure] = "TRUE" }
    if contents.isHTTPOnly { result[.httpOnly] = "TRUE" }
    if contents.isLatin1 { result[latin1] = "TRUE" }
    result[.sameSitePolicy] = contents.sameSite?.rawValue
    result[.comment] = contents.comment
    result[.commentURL] = contents.commentURL
    result[.port] = contents.ports?.map(String.init).joined(separator: ",")
    return result
  }

  private static func domain(_ properties: [HTTPCookiePropertyKey: Any]) -> String? {
    let domain = string(properties[.domain]) ?? url(properties[.originURL])?.host(percentEncoded: false)
    guard let domain, !domain.isEmpty, domain != "." else { return nil }
    let lowercased = domain.lowercased()
    return lowercased.utf8.first == UInt8(ascii: ".")
      ? "." + CookieMatching.asciiDomain(HTTPCookie.withoutDot(lowercased)) : CookieMatching.asciiDomain(lowercased)
  }

  /// The maximum age counts for cookies of version 1 only, and wins there.
  private static func expiry(_ properties: [HTTPCookiePropertyKey: Any], version: Int, now: Date) -> Date? {
    if version == 1, let age = text(properties[.maximumAge]).flatMap({ Double($0) }), age.isFinite {
      guard age > 0 else { return Date(timeIntervalSince1970: 0) }
      return min(now.addingTimeInterval(age), .distantFuture)
    }
    return properties[.expires] as? Date ?? string(properties[.expires]).flatMap(CookieDate.date(from:))
  }

  private static func ports(_ value: Any?) -> [Int]? {
    if let numbers = value as? [NSNumber] { return numbers.map(\.intValue) }
    let numbers = text(value)?.split(separator: ",").compactMap { Int($0.trimmingFieldWhitespace) }
    return numbers?.isEmpty == false ? numbers : nil
  }

  private static func flag(_ value: Any?) -> Bool {
    switch value {
    case let value as Bool: value
    case let value as NSNumber: value.boolValue
    default: string(value).map { !["", "FALSE", "NO", "0"].contains($0.uppercased()) } ?? false
    }
  }

  /// A string of any kind: what is cut out of another is a `Substring`.
  private static func string(_ value: Any?) -> String? {
    value as? String ?? (value as? any StringProtocol).map { String($0) }
  }

  private static func text(_ value: Any?) -> String? {
    string(value) ?? (value as? NSNumber)?.stringValue ?? (value as? Int).map(String.init)
  }

  private static func url(_ value: Any?) -> URL? {
    value as? URL ?? string(value).flatMap(URL.init(string:))
  }

  private static func isSafe(_ text: String) -> Bool {
    !text.utf8.contains { SetCookie.isControl($0) || $0 == UInt8(ascii: ";") }
  }
}
