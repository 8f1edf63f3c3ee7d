internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// Turns a request into what the transfer engine sends.
enum HTTPRequestEncoder {
  /// Fields that the engine writes itself: they describe the connection or the body's framing.
  private static let framing = ["content-length", "transfer-encoding", "proxy-connection"]

  /// Methods that anticipate no content (RFC 9110, sections 9.3.1 to 9.3.8).
  private static let bodiless: Set<String> = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  /// Whether a request has a body to send. An empty one does not count where the method anticipates no content, and announces no length (RFC 9110,
  /// section 8.6).
  static func sends(_ body: URLUploadBody, by method: String) -> Bool {
    body.length != 0 || !bodiless.contains(method)
  }

  private static func isOfFraming(_ field: (name: String, value: String)) -> Bool {
    framing.contains { field.name.equalsIgnoringASCIICase($0) }
  }

  static func transferRequest(for request: URLRequest, body: URLUploadBody?) -> TransferRequest {
    let method = request.httpMethod ?? "GET"
    var fields = request.fields.fields
    // As a rule there is none, and the array is the request's own.
    if fields.contains(where: Self.isOfFraming) { fields = fields.filter { !Self.isOfFraming($0) } }
    func has(_ name: String) -> Bool { fields.contains { $0.name.equalsIgnoringASCIICase(name) } }
    // The positions of a range are those of the bytes that are stored: another coding would shift them (RFC 9110, 14.2).
    if has("Range"), !has("Accept-Encoding") { fields.append(("Accept-Encoding", "identity")) }
    // A body of whose type nothing is said is taken for a form's, as on Apple's systems; no body has no type.
    if let body, body.length != 0, method == "POST", !has("Content-Type") {
      fields.append(("Content-Type", "application/x-www-form-urlencoded"))
    }
    var transferRequest = TransferRequest(
      url: request.urlFacts.text, kind: .http, method: method, headers: fields, decodesContent: true)
    transferRequest.omittedFields = request.omittedFields
    transferRequest.latin1Fields = request.latin1Fields
    return transferRequest
  }
}
