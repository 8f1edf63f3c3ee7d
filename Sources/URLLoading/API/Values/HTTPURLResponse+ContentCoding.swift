internal import URLLoadingHTTPSemantics

extension HTTPURLResponse {
  /// The content codings of the body as it was sent (RFC 9110, section 8.4); nil for none, and where the bytes are delivered as they were
  /// sent because a coding is unknown.
  package var contentCoding: String? {
    fields["Content-Encoding"].flatMap { HTTPFields.isCoded(contentEncoding: $0) ? $0 : nil }
  }

  /// The length of the whole in the answer to a range that lies outside of it.
  var unsatisfiedLength: Int64? {
    fields.single("Content-Range").agreed.flatMap(ContentRange.unsatisfiedLength)
  }
}
