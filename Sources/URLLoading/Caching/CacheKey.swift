/// What a cached response is found by: the method and the whole URL of the canonical request, but for the fragment, which is not sent.
struct CacheKey: Hashable, Sendable {
  let method: String
  let url: String

  /// Nil for a request without a URL.
  /// - Parameter request: in the canonical form of its protocol class.
  init?(canonical request: URLRequest) {
    guard let url = request.url else { return nil }
    method = request.httpMethod ?? "GET"
    self.url = Self.normalized(url)
  }

  /// The key of what a program asks for: the canonical form is that of the class that would load it.
  init?(_ request: URLRequest) {
    let loader = ProtocolRegistry.shared.protocolClass(for: request)
    self.init(canonical: loader?.canonicalRequest(for: request) ?? request)
  }

  /// The key of a task's current request; nil for a task of no session.
  init?(_ task: URLSessionTask) {
    guard let request = task.currentRequest else { return nil }
    let configured = task.load.session.values.protocolClasses
    let loader = ProtocolRegistry.shared.protocolClass(for: task, loading: request, configured: configured)
    self.init(canonical: loader?.canonicalRequest(for: request) ?? request)
  }

  private static let defaultPorts = ["http": 80, "https": 443, "ftp": 21, "ftps": 21, "sftp": 22]

  /// URLs are the same that differ in the case of scheme and host, in a port that is the default, and in an empty path in place of "/"
  /// (RFC 3986, section 6.2; RFC 9110, section 4.2.3).
  private static func normalized(_ url: URL) -> String {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
    components.fragment = nil
    guard let scheme = components.scheme?.lowercased(), components.percentEncodedHost?.isEmpty == false else {
      return components.string ?? url.absoluteString
    }
    components.scheme = scheme
    components.percentEncodedHost = components.percentEncodedHost?.lowercased()
    if let port = components.port, port == defaultPorts[scheme] { components.port = nil }
    if components.percentEncodedPath.isEmpty { components.percentEncodedPath = "/" }
    return components.string ?? url.absoluteString
  }
}
