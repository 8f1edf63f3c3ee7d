/// Strings for the names of common fields, so that no response allocates them again.
enum FieldNames {
  /// Names that are too long for a string without an allocation (15 bytes), by their length.
  private static let long: [Int: [String]] = Dictionary(
    grouping: [
      "Accept-Language", "Accept-Encoding", "Content-Encoding", "Content-Language", "Content-Disposition",
      "Content-Security-Policy", "Strict-Transport-Security", "Transfer-Encoding", "X-Content-Type-Options",
      "X-Frame-Options", "WWW-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Allow-Headers",
      "Access-Control-Allow-Methods", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
      "X-XSS-Protection", "Proxy-Authenticate", "Proxy-Connection", "Content-Location", "Referrer-Policy",
      "Permissions-Policy",
    ].flatMap { [$0, $0.lowercased()] }, by: \.utf8.count)

  static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    if bytes.count > 15, let candidates = long[bytes.count] {
      for candidate in candidates where candidate.utf8.elementsEqual(bytes) { return candidate }
    }
    return ResponseHeadParser.string(bytes)
  }
}
