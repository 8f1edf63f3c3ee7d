internal import URLLoadingHTTPSemantics

/// Makes an entry of what is known about a transaction.
struct HTTPArchiveFormatter: Sendable {
  /// Whether passwords and the values of secret fields are left out.
  let redacts: Bool
  /// How much of a request's body is written, in bytes; 0 for nothing.
  let bodyLimit: Int

  /// - Parameters:
  ///   - body: what is kept of the response's body.
  ///   - comment: for people.
  func entry(
    _ metrics: URLSessionTaskTransactionMetrics, body: HTTPArchiveBody?, comment: String?
  ) -> HTTPArchiveEntry {
    let timings = HTTPArchiveTimings(metrics)
    let start = metrics.fetchStartDate ?? metrics.requestStartDate ?? Date()
    let version = Self.version(metrics)
    return HTTPArchiveEntry(
      startedDateTime: start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
      time: timings.time, request: request(metrics, version),
      response: response(metrics, version, body), timings: timings,
      serverIPAddress: metrics.isProxyConnection ? nil : metrics.remoteAddress, connection: metrics.localPort,
      comment: comment)
  }

  private func request(
    _ metrics: URLSessionTaskTransactionMetrics, _ version: String
  ) -> HTTPArchiveEntry.Request {
    let request = metrics.request
    let query = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.queryItems } ?? []
    let headers = request.fields.fields
    return HTTPArchiveEntry.Request(
      method: request.httpMethod ?? "GET", url: request.url.map(text) ?? "", httpVersion: version,
      cookies: headers.filter { $0.name.lowercased() == "cookie" }.flatMap { cookies(ofField: $0.value) },
      headers: pairs(headers),
      queryString: query.map { HTTPArchiveEntry.Pair(name: $0.name, value: text($0.value ?? "")) },
      postData: postData(of: request), headersSize: Self.known(metrics.countOfRequestHeaderBytesSent),
      bodySize: metrics.countOfRequestBodyBytesSent)
  }

  private func postData(of request: URLRequest) -> HTTPArchiveEntry.PostData? {
    guard bodyLimit > 0, let body = request.httpBody, body.count <= bodyLimit,
      let text = String(validating: body, as: UTF8.self)
    else { return nil }
    return HTTPArchiveEntry.PostData(
      mimeType: request.value(forHTTPHeaderField: "Content-Type") ?? "", text: text)
  }

  private func response(
    _ metrics: URLSessionTaskTransactionMetrics, _ version: String, _ body: HTTPArchiveBody?
  ) -> HTTPArchiveEntry.Response {
    let http = metrics.response as? HTTPURLResponse
    // Schemes without a status have a response where they have succeeded so far.
    let status = http?.statusCode ?? (metrics.response == nil ? 0 : 200)
    let content = body?.content
    let location = http.flatMap { (300..<400).contains($0.statusCode) ? $0.agreedValue(of: "Location") : nil }
    let isLocal = metrics.resourceFetchType == .localCache
    return HTTPArchiveEntry.Response(
      status: status, statusText: http.map { HTTPURLResponse.localizedString(forStatusCode: $0.statusCode) } ?? "",
      httpVersion: http == nil || !isLocal ? version : http?.httpVersion ?? version,
      cookies: (http?.setCookieValues ?? []).compactMap { cookie(ofField: $0) },
      headers: pairs(http?.fields.fields ?? []),
      content: HTTPArchiveEntry.Content(
        size: max(0, metrics.countOfResponseBodyBytesAfterDecoding),
        mimeType: metrics.response?.mimeType ?? "application/octet-stream", text: content?.text,
        encoding: content?.encoding, comment: body?.comment),
      redirectURL: location.map { withoutFragment(text($0)) } ?? "",
      headersSize: Self.known(metrics.countOfResponseHeaderBytesReceived),
      bodySize: isLocal ? 0 : metrics.response == nil ? -1 : metrics.countOfResponseBodyBytesReceived)
  }

  // MARK: Parts

  private func pairs(_ fields: [(name: String, value: String)]) -> [HTTPArchiveEntry.Pair] {
    fields.map { field in
      HTTPArchiveEntry.Pair(
        name: field.name, value: redacts ? redacted(field.value, of: field.name) : field.value)
    }
  }

  /// A URL without its fragment, which HAR 1.2 leaves out: it may be a token.
  private func text(_ url: URL) -> String {
    withoutFragment(redacts ? Redaction.url(url) : url.absoluteString)
  }

  private func withoutFragment(_ reference: String) -> String {
    reference.firstIndex(of: "#").map { String(reference[..<$0]) } ?? reference
  }

  private func redacted(_ value: String, of field: String) -> String {
    let text = Redaction.value(value, of: field)
    return Self.referenceFields.contains(field.lowercased()) ? withoutFragment(text) : text
  }

  /// Fields whose value is a reference to a resource.
  private static let referenceFields: Set<String> = ["location", "content-location", "referer"]

  private func text(_ text: String) -> String { redacts ? Redaction.text(text) : text }

  /// The cookies of a request's field (RFC 6265, section 4.2.1).
  private func cookies(ofField value: String) -> [HTTPArchiveEntry.Cookie] {
    value.split(separator: ";").compactMap { pair($0) }.map { HTTPArchiveEntry.Cookie(name: $0.name, value: $0.value) }
  }

  /// The cookie of a response's field (RFC 6265, section 4.1.1).
  private func cookie(ofField value: String) -> HTTPArchiveEntry.Cookie? {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ pair($0) }) else { return nil }
    var cookie = HTTPArchiveEntry.Cookie(name: first.name, value: first.value, httpOnly: false, secure: false)
    for part in parts.dropFirst() {
      let attribute = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      switch attribute.first?.lowercased() {
      case "path": cookie.path = attribute.dropFirst().first
      case "domain": cookie.domain = attribute.dropFirst().first
      case "httponly": cookie.httpOnly = true
      case "secure": cookie.secure = true
      default: break
      }
    }
    return cookie
  }

  private func pair(_ text: Substring) -> (name: String, value: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count == 2 else { return nil }
    return (parts[0], redacts ? "***" : parts[1])
  }

  private static func known(_ count: Int64) -> Int64 { count > 0 ? count : -1 }

  /// The protocol's version as HTTP names it, else as the class does.
  private static func version(_ metrics: URLSessionTaskTransactionMetrics) -> String {
    switch metrics.networkProtocolName {
    case "http/1.0": "HTTP/1.0"
    case "http/1.1": "HTTP/1.1"
    case "h2": "HTTP/2"
    case "h3": "HTTP/3"
    case let name?: name
    case nil: metrics.request.url?.scheme ?? "unknown"
    }
  }
}
