internal import URLLoadingHTTPSemantics

/// A response that came, as the rules of caching see it.
struct CacheResponse: Sendable {
  var statusCode: Int
  /// As they were received.
  var fields: HTTPFields
  /// Of the request that it answers.
  var url: URL

  init(statusCode: Int = 200, fields: HTTPFields = HTTPFields(), url: URL) {
    self.statusCode = statusCode
    self.fields = fields
    self.url = url
  }

  var isCoded: Bool { fields["Content-Encoding"].map(HTTPFields.isCoded) ?? false }

  /// In answer to a request for a range: whether it carries a part, or something that is no whole, under the status of the whole.
  var isUnmarkedPart: Bool { UnmarkedPart(statusCode: statusCode, fields, isCoded: isCoded) != nil }

  /// The part that a 206 holds.
  var contentRange: ContentRange? {
    statusCode == 206 ? fields.single("Content-Range").agreed.flatMap(ContentRange.init(fieldValue:)) : nil
  }
}
