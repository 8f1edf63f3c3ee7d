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

  /// The part that a 206 holds.
  var contentRange: ContentRange? {
    statusCode == 206 ? fields.last("Content-Range").flatMap(ContentRange.init(fieldValue:)) : nil
  }
}
