/// The keys of a cookie's properties.
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
  /// The key's name.
  public let rawValue: String

  /// A key of that name.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// A key of that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The cookie's name: a string, required.
  public static let name = HTTPCookiePropertyKey("Name")
  /// The cookie's value: a string, required.
  public static let value = HTTPCookiePropertyKey("Value")
  /// The URL that set the cookie, a `URL` or a string: it gives the domain if there is no `domain`.
  public static let originURL = HTTPCookiePropertyKey("OriginURL")
  /// The version of the cookie's specification, "0" or "1".
  public static let version = HTTPCookiePropertyKey("Version")
  /// The domain; with a leading dot the cookie goes to all hosts in it, without to that host alone.
  public static let domain = HTTPCookiePropertyKey("Domain")
  /// The path: a string, required.
  public static let path = HTTPCookiePropertyKey("Path")
  /// Any value, even "FALSE", means that the cookie is for encrypted connections only.
  public static let secure = HTTPCookiePropertyKey("Secure")
  /// When the cookie ends: a `Date`, or a string in the form that `Set-Cookie` has.
  public static let expires = HTTPCookiePropertyKey("Expires")
  /// A comment, for cookies of version 1.
  public static let comment = HTTPCookiePropertyKey("Comment")
  /// The URL of a comment, for cookies of version 1.
  public static let commentURL = HTTPCookiePropertyKey("CommentURL")
  /// Whether the cookie ends with the session, whatever else is said: "TRUE" or true.
  public static let discard = HTTPCookiePropertyKey("Discard")
  /// After how many seconds the cookie ends, a string or a number. For cookies of version 1, where it wins over
  /// `expires`; others do without it.
  public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
  /// The ports that the cookie is for, separated by commas; for cookies of version 1.
  public static let port = HTTPCookiePropertyKey("Port")
  /// An `HTTPCookieStringPolicy` or its raw value.
  public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")

  /// Whether the cookie is kept from scripts. Without a public name on Apple's systems either, where the raw
  /// value works all the same.
  static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
}
