import URLLoading
internal import URLLoadingHTTPSemantics

/// The heads of messages as text, a line for each field.
enum HeadText {
  /// The heads of requests as they were sent, line by line. Lines between two of them are empty.
  static func lines(ofSent head: String, showsSecrets: Bool) -> [String] {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in
      guard !showsSecrets, let colon = line.firstIndex(of: ":"), !line[..<colon].contains(" ") else {
        return showsSecrets ? line : SafeText.withoutPasswords(line)
      }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return "\(line[..<colon]): \(Redaction.value(String(value), of: String(line[..<colon])))"
    }
  }

  /// The method, the URL and the fields of a request that is sent by no head of this form.
  static func lines(of request: URLRequest, showsSecrets: Bool) -> [String] {
    let url = request.url.map { showsSecrets ? $0.absoluteString : SafeText.url($0) } ?? ""
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    return ["\(request.httpMethod ?? "GET") \(url)"]
      + fields.map { "\($0.key): \(showsSecrets ? $0.value : Redaction.value($0.value, of: $0.key))" }
  }

  /// The status and the fields in their order, or what other schemes have in their place.
  /// - Parameter showsSecrets: whether values of fields are as they came.
  static func lines(of response: URLResponse, showsSecrets: Bool) -> [String] {
    if let response = response as? HTTPURLResponse {
      let head = HTTPURLResponse.ReceivedHead(response)
      let isTextual = head.httpVersion.hasPrefix("HTTP/1")
      let phrase = isTextual ? StatusPhrase.text(for: head.statusCode).map { " \($0)" } : nil
      let status = "\(head.httpVersion) \(head.statusCode)\(phrase ?? "")"
      return [status]
        + head.fields.map { field in
          showsSecrets
            ? "\(field.name): \(field.value)" : "\(field.name): \(Redaction.value(field.value, of: field.name))"
        }
    }
    var lines = [response.url.map { showsSecrets ? $0.absoluteString : SafeText.url($0) } ?? ""]
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

  /// A head as `-i`, `-I` and `-D` write it, with an empty line after it.
  static func data(of response: URLResponse) -> Data {
    let end = response is HTTPURLResponse ? "\r\n" : "\n"
    return Data((lines(of: response, showsSecrets: true).map { $0 + end }.joined() + end).utf8)
  }
}
