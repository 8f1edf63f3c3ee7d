import Foundation

/// A response that `ScriptedServer.http` sends.
package struct HTTPResponse: Sendable {
  /// The status code.
  package var status: Int
  /// The reason phrase.
  package var reason: String
  /// Header fields. Content-Length is added where neither it nor Transfer-Encoding is there.
  package var fields: HTTPFields
  /// The body, sent as it is.
  package var body: Data

  /// A response with bytes.
  package init(_ status: Int = 200, reason: String = "Scripted", fields: HTTPFields = [:], body: Data = Data()) {
    self.status = status
    self.reason = reason
    self.fields = fields
    self.body = body
  }

  /// A response with text.
  package init(_ status: Int = 200, fields: HTTPFields = [:], text: String) {
    self.init(status, fields: fields, body: Data(text.utf8))
  }

  /// A redirect.
  package static func redirect(_ status: Int = 302, to location: String) -> HTTPResponse {
    HTTPResponse(status, fields: ["Location": location])
  }

  /// The bytes to send in answer to a method: the response to HEAD has no body.
  package func encoded(for method: String = "GET") -> Data {
    var text = "HTTP/1.1 \(status) \(reason)\r\n"
    for field in fields.list { text += "\(field.name): \(field.value)\r\n" }
    // RFC 9110 section 8.6: no Content-Length with these status codes.
    let hasLength = status >= 200 && status != 204 && status != 304
    if hasLength && fields["Content-Length"] == nil && fields["Transfer-Encoding"] == nil {
      text += "Content-Length: \(body.count)\r\n"
    }
    return Data((text + "\r\n").utf8) + (method == "HEAD" ? Data() : body)
  }
}
