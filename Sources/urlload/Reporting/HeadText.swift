import URLLoading

/// The heads of messages as text, a line for each field.
enum HeadText {
  /// The method, the URL and the fields, without secrets.
  static func lines(of request: URLRequest) -> [String] {
    let url = request.url.map(SafeText.url) ?? ""
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    return ["\(request.httpMethod ?? "GET") \(url)"]
      + fields.map { "\($0.key): \(Redaction.value($0.value, of: $0.key))" }
  }

  /// The status and the fields, or what other schemes have in their place.
  static func lines(of response: URLResponse) -> [String] {
    if let response = response as? HTTPURLResponse {
      let status = "\(response.statusCode) \(HTTPURLResponse.localizedString(forStatusCode: response.statusCode))"
      let fields = response.allHeaderFields.map { ("\($0.key.base)", "\($0.value)") }.sorted { $0.0 < $1.0 }
      return [status] + fields.map { SafeText.line("\($0.0): \(SafeText.withoutPasswords($0.1))") }
    }
    var lines = [response.url.map(SafeText.url) ?? ""]
    if let type = response.mimeType {
      lines.append("Content-Type: \(type)\(response.textEncodingName.map { "; charset=\($0)" } ?? "")")
    }
    if response.expectedContentLength >= 0 { lines.append("Content-Length: \(response.expectedContentLength)") }
    if let range = response.contentRange { lines.append("Content-Range: \(range.fieldValue)") }
    if let tag = response.validators.entityTag { lines.append("ETag: \(tag)") }
    if let date = response.validators.lastModified {
      lines.append("Last-Modified: \(date.formatted(.iso8601))")
    }
    if response.acceptsByteRanges { lines.append("Accept-Ranges: bytes") }
    return lines.map(SafeText.line)
  }
}
