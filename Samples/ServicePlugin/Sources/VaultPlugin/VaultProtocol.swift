import URLLoading

/// Loads and stores `vault://host:port/path`, a private scheme that stands on HTTP: a header field says who asks.
///
/// It declares `.background`: an instance needs nothing but its request, so that the transfer service can load it when the program that has
/// asked for it is gone.
final class VaultProtocol: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme?.lowercased() == "vault" }

  override class var capabilities: Capabilities {
    super.capabilities.union([
      .byteRanges, .upload, .background, .schemes("vault"), .acceptedHTTPMethods("GET", "HEAD", "PUT"),
    ])
  }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url, let session = writer.session,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { throw URLError(.badURL) }
    parts.scheme = "http"
    // Range and If-Range are among the request's fields, and the server looks at them.
    var asking = request
    asking.url = parts.url
    (asking.httpBody, asking.httpBodyStream) = (nil, nil)
    asking.setValue("vault", forHTTPHeaderField: "X-Asked-By")
    if writer.uploadBody != nil {
      try await store(asking, by: session, writer)
      return try await writer.respond(mimeType: nil, length: 0)
    }
    let (bytes, answer) = try await session.bytes(for: asking)
    try check(answer, url)
    // Length, range and validators are what resuming goes by.
    try await writer.respond(
      URLResponse(
        url: url, mimeType: answer.mimeType, expectedContentLength: answer.expectedContentLength,
        textEncodingName: nil, contentRange: answer.contentRange, validators: answer.validators,
        acceptsByteRanges: answer.acceptsByteRanges))
    for try await chunk in bytes.chunks { try await writer.write(chunk) }
  }

  private func store(_ request: URLRequest, by session: URLSession, _ writer: Writer) async throws {
    let progress = SentBytes(writer)
    let answer: URLResponse
    switch writer.uploadBody {
    case .file(let file, _): (_, answer) = try await session.upload(for: request, fromFile: file, delegate: progress)
    case .data(let data): (_, answer) = try await session.upload(for: request, from: data, delegate: progress)
    case .stream, nil:
      throw URLError(.unsupportedURL, message: "A vault takes files and data, no streams.", url: self.request.url)
    }
    try check(answer, self.request.url)
  }

  private func check(_ answer: URLResponse, _ url: URL?) throws {
    let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw URLError(.badServerResponse, message: "The vault answered with status \(status).", url: url)
    }
  }
}
