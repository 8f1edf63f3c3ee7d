/// One request and its response, as HTTP Archive 1.2 writes them. The names are the format's; members that it requires are not optional.
struct HTTPArchiveEntry: Encodable {
  /// A header field, a parameter of the query.
  struct Pair: Encodable {
    var name: String
    var value: String
  }

  struct Cookie: Encodable {
    var name: String
    var value: String
    var path: String?
    var domain: String?
    var httpOnly: Bool?
    var secure: Bool?
  }

  struct PostData: Encodable {
    var mimeType: String
    var text: String
  }

  struct Request: Encodable {
    var method: String
    var url: String
    var httpVersion: String
    var cookies: [Cookie]
    var headers: [Pair]
    var queryString: [Pair]
    var postData: PostData?
    /// In bytes; -1 where they are not known.
    var headersSize: Int64
    var bodySize: Int64
  }

  struct Content: Encodable {
    /// In bytes, decoded.
    var size: Int64
    var mimeType: String
    var text: String?
    /// `base64` where the text is that.
    var encoding: String?
    var comment: String?
  }

  struct Response: Encodable {
    /// 0 where no response came.
    var status: Int
    var statusText: String
    var httpVersion: String
    var cookies: [Cookie]
    var headers: [Pair]
    var content: Content
    var redirectURL: String
    /// In bytes; -1 where they are not known.
    var headersSize: Int64
    var bodySize: Int64
  }

  /// Says nothing: the format wants dates and counters of hits that the cache does not keep.
  struct Cache: Encodable {}

  var startedDateTime: String
  /// In milliseconds: the sum of the timings.
  var time: Double
  var request: Request
  var response: Response
  var cache = Cache()
  var timings: HTTPArchiveTimings
  var serverIPAddress: String?
  /// The port of this end, which tells connections apart.
  var connection: String?
  var comment: String?
}
