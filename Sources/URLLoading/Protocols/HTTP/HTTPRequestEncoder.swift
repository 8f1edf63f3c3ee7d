internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// Turns a request into what the transfer engine sends.
enum HTTPRequestEncoder {
  /// Methods that anticipate no content (RFC 9110, sections 9.3.1 to 9.3.8).
  private static let bodiless: Set<String> = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  /// Whether a request has a body to send. An empty one does not count where the method anticipates no content, and announces no length (RFC 9110,
  /// section 8.6).
  static func sends(_ body: URLUploadBody, by method: String) -> Bool {
    body.length != 0 || !bodiless.contains(method)
  }

  /// Fields that the engine writes itself: they describe the connection or the body's framing.
  private static func isOfFraming(_ field: (name: String, value: String)) -> Bool {
    field.name.equalsIgnoringASCIICase("content-length") || field.name.equalsIgnoringASCIICase("transfer-encoding")
      || field.name.equalsIgnoringASCIICase("proxy-connection")
  }

  private static func hasOctets(_ field: (name: String, value: String)) -> Bool {
    field.value.withBytes { bytes in bytes.contains { $0 >= 0x80 } }
  }

  private static func has(_ name: String, _ fields: borrowing [(name: String, value: String)]) -> Bool {
    for index in fields.indices where fields[index].name.equalsIgnoringASCIICase(name) { return true }
    return false
  }

  private static func complete(_ fields: inout [(name: String, value: String)], method: String, body: URLUploadBody?) {
    // As a rule there is none, and the array is the request's own.
    if fields.contains(where: isOfFraming) { fields.removeAll(where: isOfFraming) }
    // The positions of a range are those of the bytes that are stored: another coding would shift them (RFC 9110, 14.2).
    if has("Range", fields), !has("Accept-Encoding", fields) { fields.append(("Accept-Encoding", "identity")) }
    // A body of whose type nothing is said is taken for a form's, as on Apple's systems; no body has no type.
    if let body, body.length != 0, method == "POST", !has("Content-Type", fields) {
      fields.append(("Content-Type", "application/x-www-form-urlencoded"))
    }
  }

  static func transferRequest(for request: URLRequest, body: URLUploadBody?) -> TransferRequest {
    let method = request.httpMethod ?? "GET"
    var transferRequest = TransferRequest(
      url: request.urlFacts.text, kind: .http, method: method, headers: request.fields.fields, decodesContent: true)
    complete(&transferRequest.headers, method: method, body: body)
    transferRequest.omittedFields = request.omittedFields
    if transferRequest.headers.contains(where: Self.hasOctets) { transferRequest.latin1Fields = request.latin1Fields }
    return transferRequest
  }
}
