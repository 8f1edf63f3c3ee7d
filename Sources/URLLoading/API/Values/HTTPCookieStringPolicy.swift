/// To which requests from other sites a cookie is sent (RFC 6265bis 5.6.7).
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
  /// The policy's name in lower case.
  public let rawValue: String

  /// A policy of that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// To requests of the same site, and to those that open a page from elsewhere.
  public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
  /// To requests of the same site only.
  public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}
