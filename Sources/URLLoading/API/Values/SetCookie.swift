internal import URLLoadingHTTPSemantics

/// One `Set-Cookie` value, parsed by RFC 6265bis 5.6, byte for byte as it came: nothing is percent-decoded. Whether the cookie is accepted
/// depends on the URL it comes from.
struct SetCookie {
  var name = ""
  var value = ""
  /// Without a leading dot, in lower case. Empty counts as none.
  var domain: String?
  /// Nil if there is no Path attribute or it does not begin with a slash.
  var path: String?
  /// Whether there is a Path attribute, even one that means the default path.
  var hasPath = false
  var expires: Date?
  /// In seconds; wins over `expires`.
  var maximumAge: Int64?
  var isSecure = false
  var isHTTPOnly = false
  /// Nil where there is no policy: also for `None`, which sets ``allowsAllSites``, and for what is no known policy (5.6.7).
  var sameSite: HTTPCookieStringPolicy?
  /// Whether the policy is `None` in so many words.
  var allowsAllSites = false
  var comment: String?
  var commentURL: URL?
  var version = 0

  /// The most bytes that name and value may have together, and that an attribute's value may have.
  static let sizeLimit = 4096
  private static let attributeLimit = 1024

  /// The longest time that a server may have a cookie kept: 400 days (5.5).
  static let longestAge: TimeInterval = 400 * 86_400

  /// Nil for what must be ignored: control characters, neither name nor value, too long.
  init?(_ text: String) {
    guard !text.utf8.contains(where: Self.isControl) else { return nil }
    var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
      Substring($0)
    }
    // Without "=" all is the value (5.6).
    let pair = parts.removeFirst()
    (name, value) = Self.split(pair) ?? ("", String(pair.trimmingFieldWhitespace))
    guard name.utf8.count + value.utf8.count <= Self.sizeLimit, !(name.isEmpty && value.isEmpty) else { return nil }
    for part in parts {
      let (key, value) = Self.split(part) ?? (String(part.trimmingFieldWhitespace), "")
      if value.utf8.count <= Self.attributeLimit {
        set(key.lowercased(), to: value)
      }
    }
  }

  /// When the cookie ends, or nil if with the session. Later than the longest age it never is.
  func expiry(now: Date) -> Date? {
    let latest = now.addingTimeInterval(Self.longestAge)
    guard let maximumAge else { return expires.map { min($0, latest) } }
    // RFC 6265bis 5.6.2: zero or less is the earliest time there is.
    guard maximumAge > 0 else { return Date(timeIntervalSince1970: 0) }
    return min(now.addingTimeInterval(TimeInterval(maximumAge)), latest)
  }

  /// Later attributes of a name replace earlier ones; values that cannot be read are passed over.
  private mutating func set(_ key: String, to value: String) {
    switch key {
    case "expires": expires = CookieDate.date(from: value) ?? expires
    case "max-age": maximumAge = Self.seconds(value) ?? maximumAge
    case "domain":
      let bare = HTTPCookie.withoutDot(value).lowercased()
      domain = bare.isEmpty ? nil : bare
    case "path": (path, hasPath) = (value.utf8.first == UInt8(ascii: "/") ? value : nil, true)
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite":
      let policy = value.lowercased()
      allowsAllSites = policy == "none"
      sameSite = policy == "strict" ? .sameSiteStrict : policy == "lax" ? .sameSiteLax : nil
    case "comment": comment = value
    // Between quotes, as RFC 2965, section 3.2.2, has it.
    case "commenturl": commentURL = URL(string: value.trimmingCharacters(in: CharacterSet(charactersIn: "\"")))
    case "version": version = value == "1" ? 1 : 0
    default: break
    }
  }

  /// What stands before and after the first "="; nil where there is none.
  private static func split(_ text: Substring) -> (String, String)? {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (
      String(Substring(text.utf8[..<equals]).trimmingFieldWhitespace),
      String(Substring(text.utf8[equals...].dropFirst()).trimmingFieldWhitespace)
    )
  }

  /// An optional minus and digits; what does not fit becomes the nearest that does.
  private static func seconds(_ text: String) -> Int64? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = Substring(isNegative ? text.utf8.dropFirst() : text.utf8[...])
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    let limit: Int64 = 100 * 366 * 86_400
    let number = min(Int64(digits) ?? limit, limit)
    return isNegative ? -number : number
  }

  /// Control characters but for the tab.
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 || byte == 0x7F
  }
}
