internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

extension HTTPFields {
  /// Whether a body with this `Content-Encoding` has codings that are decoded (RFC 9110, section 8.4): one that is unknown makes it count as
  /// uncoded.
  static func isCoded(contentEncoding field: String) -> Bool { ContentCoding.areDecoded([field]) }
}
