import Foundation
import HTTPTypes
import URLLoading

extension URLRequest {
  /// A request with the method, URL and fields of another.
  ///
  /// Repeated fields become one: cookies joined by "; ", others by ", ". Values are taken as UTF-8, those that are not as
  /// ISO-8859-1. Bytes that a URL may not have are percent-encoded. A CONNECT for the protocol `websocket` (RFC 8441) becomes a GET
  /// of a `ws` or `wss` URL.
  ///
  /// - Parameter httpRequest: what to load.
  /// - Returns: nil where the pseudo-header fields name no URL: one is missing or malformed, an `http` or `https` authority has a
  ///   user, or it is another CONNECT, or `OPTIONS *`.
  public init?(httpRequest: HTTPRequest) {
    guard let request = try? URLRequest(converting: httpRequest) else { return nil }
    self = request
  }

  /// - Throws: `URLError.badURL` where the pseudo-header fields name no URL.
  init(converting request: HTTPRequest) throws(URLError) {
    let target = try RequestTarget(of: request)
    self.init(url: target.url)
    httpMethod = target.method.rawValue
    for (name, value) in request.headerFields.joined { setValue(value, forHTTPHeaderField: name) }
  }

  /// The method, URL and fields of the request; it has no body there.
  ///
  /// Users and passwords of `http` and `https` URLs are left out (RFC 9113, section 8.3.1), and names that are not field names. A GET
  /// of a `ws` or `wss` URL becomes a CONNECT for the protocol `websocket` (RFC 8441).
  ///
  /// Nil where there is no URL with an authority, as in `data:,text`; where the method is not one; or with 65,535 fields or more.
  public var httpRequest: HTTPRequest? {
    // In the order of their names, so that it is the same in every process.
    let given = (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    guard let url, let method = HTTPRequest.Method(httpMethod ?? "GET"), let fields = HTTPFields(given) else {
      return nil
    }
    var request = RequestTarget.request(method: method, url: url)
    request?.headerFields = fields
    return request
  }
}
