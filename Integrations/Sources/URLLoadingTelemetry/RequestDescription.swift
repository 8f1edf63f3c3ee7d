import URLLoading

/// What OpenTelemetry's conventions for HTTP clients say of a request.
package struct RequestDescription: Sendable, Hashable {
  /// `http.request.method`; `_OTHER` where it is none of RFC 9110 and RFC 5789.
  package let method: String
  /// `http.request.method_original`, where that is another one.
  package let originalMethod: String?
  /// `url.scheme`.
  package let scheme: String
  /// `server.address`, the path of a Unix socket among them; nil where the URL has no host.
  package let address: String?
  /// `server.port`; nil where neither the URL nor its scheme has one.
  package let port: Int?
  /// Whether the conventions of HTTP apply.
  package let isHTTP: Bool

  private static let methods: Set<String> = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]

  /// Describes a request.
  package init(_ request: URLRequest?) {
    let given = request?.httpMethod ?? "GET"
    method = Self.methods.contains(given) ? given : "_OTHER"
    originalMethod = method == given ? nil : given
    let url = request?.url
    scheme = url?.scheme?.lowercased() ?? ""
    let isOfUnixSocket = scheme.hasSuffix("+unix")
    address = url?.host(percentEncoded: !isOfUnixSocket).flatMap { $0.isEmpty ? nil : $0 }
    port = address == nil ? nil : url?.port ?? Self.defaultPort(of: scheme)
    isHTTP = ["http", "https", "ws", "wss"].contains(isOfUnixSocket ? String(scheme.dropLast(5)) : scheme)
  }

  /// The name of a span: low in cardinality, hence without the URL.
  package var spanName: String { method == "_OTHER" ? "HTTP" : method }

  private static func defaultPort(of scheme: String) -> Int? {
    switch scheme {
    case "http", "ws", "dav": 80
    case "https", "wss", "davs": 443
    case "ftp", "ftps": 21
    case "sftp": 22
    default: nil
    }
  }
}
