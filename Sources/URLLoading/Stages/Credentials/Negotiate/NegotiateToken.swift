/// What a request logs in with by Negotiate (RFC 4559): good for one request.
struct NegotiateToken: Sendable {
  var data: Data
  var isForProxy: Bool

  var fieldValue: String { "Negotiate \(data.base64EncodedString())" }
}
