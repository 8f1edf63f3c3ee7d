internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// What stored responses are found by: the whole URL of the canonical request, but for the fragment, which is not sent; with the method and
/// a space before it where that is not GET.
struct CacheKey: Hashable, Sendable {
  let text: String
  /// Whether the URL has a password. What is found by it stays in memory.
  let hasPassword: Bool

  /// Nil for a request without a URL.
  /// - Parameters:
  ///   - request: in the canonical form of its protocol class.
  ///   - method: another method than the request's.
  init?(canonical request: borrowing URLRequest, method: String? = nil) {
    guard let url = request.url else { return nil }
    let method = method ?? request.httpMethod ?? "GET"
    let written = request.urlFacts.text
    if Self.isNormalized(written) {
      text = Self.text(method, written)
      hasPassword = false
    } else {
      text = Self.text(method, Self.normalized(url))
      hasPassword = url.password(percentEncoded: true) != nil
    }
  }

  /// The key of what a program asks for: the canonical form is that of the class that would load it.
  init?(_ request: URLRequest) {
    let loader = ProtocolRegistry.shared.protocolClass(for: request)
    self.init(canonical: loader?.canonicalRequest(for: request) ?? request)
  }

  /// The key under which a GET of another URL is stored.
  init(get url: URL) {
    text = Self.normalized(url)
    hasPassword = url.password(percentEncoded: true) != nil
  }

  /// Only responses to GET are stored by loads: their URL is taken as it is, without a copy.
  private static func text(_ method: String, _ url: String) -> String { method == "GET" ? url : "\(method) \(url)" }

  private static let defaultPorts = ["http": 80, "https": 443, "ftp": 21, "ftps": 21, "sftp": 22]

  /// Whether a URL is one of HTTP that ``normalized(_:)`` would not change: the common case, found out without taking the URL apart.
  private static func isNormalized(_ url: String) -> Bool {
    url.withBytes { bytes in
      var rest = bytes[...]
      guard skip("http", in: &rest) else { return false }
      _ = skip("s", in: &rest)
      guard skip("://", in: &rest), let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
      for byte in rest[..<slash] {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
          UInt8(ascii: "-"):
          continue
        case UInt8(ascii: ":"):
          // A port of two or three digits may be the default one.
          guard rest[..<slash].count > 4, slash - (rest.firstIndex(of: byte) ?? slash) > 4 else { return false }
        default: return false
        }
      }
      return !rest[slash...].contains(UInt8(ascii: "#"))
    }
  }

  private static func skip(_ text: StaticString, in bytes: inout Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes.starts(with: wanted) else { return false }
    bytes = bytes.dropFirst(wanted.count)
    return true
  }

  /// URLs are the same that differ in the case of scheme and host, in a port that is the default, and in an empty path in place of "/"
  /// (RFC 3986, section 6.2; RFC 9110, section 4.2.3).
  private static func normalized(_ url: URL) -> String {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
    components.fragment = nil
    guard let scheme = components.scheme?.lowercased(), components.percentEncodedHost?.isEmpty == false else {
      return components.string ?? url.absoluteString
    }
    components.scheme = scheme
    // The path of a Unix socket stands there.
    if !scheme.hasSuffix("+unix") { components.percentEncodedHost = components.percentEncodedHost?.lowercased() }
    if let port = components.port, port == defaultPorts[scheme] { components.port = nil }
    if components.percentEncodedPath.isEmpty { components.percentEncodedPath = "/" }
    return components.string ?? url.absoluteString
  }
}
