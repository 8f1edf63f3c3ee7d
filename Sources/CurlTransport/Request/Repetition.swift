/// Whether a request without a response may be repeated automatically (RFC 9112, section 9.3.1).
///
/// The rule for both libcurl, which would otherwise retry any request on a stale connection, and the session. What is idempotent is so for
/// the retries of loads as well.
package struct Repetition: Equatable {
  let method: String
  /// Some of it was written. The server may have acted on it, though it has not said so.
  let mayHaveBeenTaken: Bool
  /// Its owner wants it to go out once at most.
  var isOfOne = false

  var isAllowed: Bool { !mayHaveBeenTaken || !isOfOne && Self.isIdempotent(method) }

  /// Whether the method is idempotent (RFC 9110, section 9.2.2, and IANA's registry of methods). Unknown methods are not. Methods are
  /// case-sensitive.
  package static func isIdempotent(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
    case "PROPFIND", "REPORT", "SEARCH", "QUERY": true
    default: false
    }
  }
}
