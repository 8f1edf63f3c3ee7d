internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// A request, as the rules of caching see it.
struct CacheRequest: Sendable {
  /// Case-sensitive, as methods are.
  var method: String
  var url: URL
  /// As they are sent: with what the load and the protocol add, such as cookies and `Accept-Language`, which responses may vary by; but
  /// without `Accept-Encoding`, which is the same for all loads unless the program sets it, and without the conditions of a validation.
  /// Credentials that the load takes from the session's own storage may be left out in a private cache: they are its user's.
  var fields: HTTPFields
  var policy: NSURLRequest.CachePolicy

  init(
    method: String = "GET", url: URL, fields: HTTPFields = HTTPFields(),
    policy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.policy = policy
  }

  /// Whether a stored response to GET may answer (RFC 9110, sections 9.3.1 and 9.3.2).
  var isRetrieval: Bool { Self.isRetrieval(method) }

  static func isRetrieval(_ method: String?) -> Bool { method == "GET" || method == "HEAD" || method == nil }

  /// Whether the program validates what it has itself. `If-Range` does not count: it comes with a range.
  var hasOwnConditions: Bool {
    ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"].contains { fields.contains($0) }
  }

  /// Those of `Cache-Control`, or else what `Pragma` says in its place (RFC 9111, section 5.4).
  var directives: CacheDirectives {
    var directives = CacheDirectives(fields)
    if !fields.contains("Cache-Control"), let pragma = fields["Pragma"],
      pragma.split(separator: ",").contains(where: { $0.trimmingFieldWhitespace.equalsIgnoringASCIICase("no-cache") })
    {
      directives.noCache = .all
    }
    return directives
  }

  /// The part that is asked for. Only GET has ranges, and what is malformed or lists several is ignored (RFC 9110, section 14.2).
  var range: ByteRange? {
    method == "GET" ? fields["Range"].flatMap(ByteRange.init(fieldValue:)) : nil
  }
}
