/// The usual spelling of the usual response fields.
///
/// HTTP/2 sends all names in lower case (RFC 9113 8.2). Code that looks `"Content-Type"` up in a dictionary
/// works with every version of HTTP only if the spelling is put right.
enum CanonicalFieldNames {
  /// The usual spelling of a name in lower case; any other name as it is.
  static func spelling(of name: String) -> String {
    spellings[name] ?? name
  }

  private static let spellings: [String: String] = {
    let names = [
      "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
      "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
      "Access-Control-Max-Age", "Age", "Allow", "Alt-Svc", "Authentication-Info", "Cache-Control", "Connection",
      "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location",
      "Content-Range", "Content-Security-Policy", "Content-Type", "Date", "ETag", "Expires", "Keep-Alive",
      "Last-Modified", "Link", "Location", "P3P", "Pragma", "Proxy-Authenticate", "Referrer-Policy", "Refresh",
      "Retry-After", "Server", "Set-Cookie", "Strict-Transport-Security", "Trailer", "Transfer-Encoding",
      "Upgrade", "Vary", "Via", "WWW-Authenticate", "Warning", "X-Content-Type-Options", "X-Frame-Options",
      "X-Powered-By", "X-XSS-Protection",
    ]
    return Dictionary(names.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
  }()
}
