import Foundation
import HTTPTypes
import URLLoading

extension HTTPURLResponse {
  /// A response with the status and fields of another, repeated ones apart as there. Values are taken as UTF-8, those that are not as
  /// ISO-8859-1. The reason phrase is left out.
  ///
  /// - Parameters:
  ///   - httpResponse: the status and fields.
  ///   - url: where the response came from.
  public convenience init?(httpResponse: HTTPResponse, url: URL) {
    self.init(
      url: url, statusCode: httpResponse.status.code, httpVersion: "HTTP/1.1",
      fields: httpResponse.headerFields.separated, isReceived: false)
  }

  /// The status and the fields, in the server's order and repeated ones apart, as `Set-Cookie` has to be (RFC 6265, section 3).
  /// There is no reason phrase. Names that are not field names are left out; trailer fields are not among them.
  ///
  /// Nil for a status that has not three digits or fewer, and with 65,535 fields or more.
  public var httpResponse: HTTPResponse? {
    guard (0...999).contains(statusCode), let fields = convertibleFields else { return nil }
    return HTTPResponse(status: HTTPResponse.Status(code: statusCode), headerFields: fields)
  }

  /// A subclass may have fields of its own, and then has them here alone.
  private var convertibleFields: HTTPFields? {
    if type(of: self) == HTTPURLResponse.self { return ReceivedHead(self).httpFields }
    let own = HTTPURLResponse(
      url: url ?? URL(filePath: "/"), statusCode: statusCode, httpVersion: nil,
      headerFields: allHeaderFields as? [String: String])
    guard let own else { return HTTPFields() }
    return ReceivedHead(own).httpFields
  }
}

extension HTTPURLResponse.ReceivedHead {
  /// Nil for more fields than one message can have.
  fileprivate var httpFields: HTTPFields? { HTTPFields(fields.map { (name: $0.name, value: $0.value) }) }
}

extension URLResponse {
  /// The response as one of HTTP.
  /// - Throws: `URLError.cannotParseResponse` where it is not an HTTP response, as those of `file` URLs.
  func converted() throws(URLError) -> HTTPResponse {
    guard let response = (self as? HTTPURLResponse)?.httpResponse else {
      throw URLError(
        .cannotParseResponse,
        message:
          "The response of \(url?.redactedDescription ?? "the request") is not an HTTP response: load it by a URLRequest.",
        url: url)
    }
    return response
  }
}
