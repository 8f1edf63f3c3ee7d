internal import URLLoadingHTTPSemantics

// Safe to share: nothing changes after init.
/// A cookie (RFC 6265bis).
///
/// A domain that begins with a dot is for all hosts in it; one without is for that host alone.
open class HTTPCookie: NSObject, @unchecked Sendable {
  /// Which cookies a storage takes.
  @frozen public enum AcceptPolicy: UInt, Sendable {
    /// All.
    case always = 0
    /// None.
    case never = 1
    /// Those of the site of the main document; all if a request names no main document.
    case onlyFromMainDocumentDomain = 2
  }

  struct Contents: Hashable {
    var name: String
    var value: String
    /// With a leading dot unless the cookie is for one host alone.
    var domain: String
    var path: String
    var expires: Date?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: HTTPCookieStringPolicy?
    var version = 0
    var comment: String?
    var commentURL: URL?
    var ports: [Int]?
    /// Each character of the name and the value is an octet: those that came are no UTF-8.
    var isLatin1 = false

    /// Whether there is a time at which it ends, later than the session.
    var isLasting: Bool { expires.map { !$0.timeIntervalSinceReferenceDate.isNaN } ?? false }
  }

  let contents: Contents

  /// The domain without its leading dot.
  let bareDomain: String

  init(_ contents: Contents) {
    self.contents = contents
    bareDomain = Self.withoutDot(contents.domain)
  }

  /// A cookie from properties.
  ///
  /// Nil unless there are a name, a value, a path, and a domain or an origin URL; and nil if the name or the value has what
  /// would end it early in a header field: a control character, a semicolon, "=" in the name.
  public init?(properties: [HTTPCookiePropertyKey: Any]) {
    guard let contents = CookieProperties.contents(of: properties) else { return nil }
    self.contents = contents
    bareDomain = Self.withoutDot(contents.domain)
  }

  /// The properties of which an equal cookie can be made.
  open var properties: [HTTPCookiePropertyKey: Any]? { CookieProperties.properties(of: contents) }

  /// The name; empty for a cookie that a server sets without one.
  open var name: String { contents.name }

  /// The value.
  open var value: String { contents.value }

  /// The domain: with a leading dot for all hosts in it, without for that host alone.
  open var domain: String { contents.domain }

  /// The path; the cookie goes to requests for it and for what is below.
  open var path: String { contents.path }

  /// When the cookie ends; nil if with the session.
  open var expiresDate: Date? { contents.expires }

  /// Whether the cookie ends with the session.
  open var isSessionOnly: Bool { contents.expires == nil }

  /// Whether the cookie goes over encrypted connections only.
  open var isSecure: Bool { contents.isSecure }

  /// Whether the cookie is hidden from scripts.
  open var isHTTPOnly: Bool { contents.isHTTPOnly }

  /// To which requests from other sites the cookie goes; nil if to all.
  open var sameSitePolicy: HTTPCookieStringPolicy? { contents.sameSite }

  /// 0, or 1 for a cookie by RFC 2965.
  open var version: Int { contents.version }

  /// What the cookie is for; version 1.
  open var comment: String? { contents.comment }

  /// Where it is said what the cookie is for; version 1.
  open var commentURL: URL? { contents.commentURL }

  /// The ports that the cookie is for, nil for all; version 1. It is not looked at when cookies are sent.
  open var portList: [NSNumber]? { contents.ports?.map { NSNumber(value: $0) } }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HTTPCookie else { return false }
    return other === self || contents == other.contents
  }

  open override var hash: Int { contents.hashValue }

  open override var description: String {
    "<\(type(of: self)) name: \(name), domain: \(domain), path: \(path), expires: "
      + "\(expiresDate.map { HTTPDate.string(from: $0) } ?? "with the session"), secure: \(isSecure), HTTP only: "
      + "\(isHTTPOnly)>"
  }

  /// By bytes: a mark after the dot would make one character of both.
  static func withoutDot(_ domain: String) -> String {
    domain.utf8.first == UInt8(ascii: ".") ? String(Substring(domain.utf8.dropFirst())) : domain
  }

  var isHostOnly: Bool { contents.domain.utf8.first != UInt8(ascii: ".") }

  func isExpired(at now: Date) -> Bool {
    contents.expires.map { $0 <= now } ?? false
  }
}
