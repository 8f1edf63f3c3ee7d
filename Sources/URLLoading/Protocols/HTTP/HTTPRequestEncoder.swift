internal import CurlTransport

/// Turns a request into what the transfer engine sends.
enum HTTPRequestEncoder {
  /// Fields that the engine writes itself: they describe the connection or the body's framing.
  private static let framing = ["content-length", "transfer-encoding", "proxy-connection"]

  /// What requests call themselves that do not say otherwise.
  static let userAgent = "\(processName) swift-url-loading/0.1"

  /// A file may have any name; a field's value may not.
  private static var processName: String {
    String(
      ProcessInfo.processInfo.processName.unicodeScalars.map { $0.value > 32 && $0.value < 127 ? Character($0) : "_" })
  }

  static func transferRequest(for request: URLRequest, body: URLUploadBody?) -> TransferRequest {
    let method = request.httpMethod ?? "GET"
    var result = TransferRequest(url: request.url?.absoluteString ?? "", kind: .http, method: method)
    var fields: [(name: String, value: String)] = []
    for field in request.fields.fields where !Self.framing.contains(where: { field.name.equalsIgnoringASCIICase($0) }) {
      fields.append(field)
    }
    func has(_ name: String) -> Bool { fields.contains { $0.name.equalsIgnoringASCIICase(name) } }
    // The positions of a range are those of the bytes that are stored: another coding would shift them (RFC 9110, 14.2).
    if has("Range") {
      if !has("Accept-Encoding") { fields.append(("Accept-Encoding", "identity")) }
    } else {
      result.decodesContent = true
    }
    if case .data = body, method == "POST", !has("Content-Type") {
      fields.append(("Content-Type", "application/x-www-form-urlencoded"))
    }
    result.headers = fields
    return result
  }
}
