import URLLoading

/// Loads, lists and stores what is on a WebDAV server (RFC 4918), at `dav://host/path` and, over TLS, `davs://host/path`.
///
/// It shows what a class does that stands on another one: every exchange is a load of an `http` URL through the session of the load, so
/// that configuration, credentials, cache and cancellation are those of the program. What such a load asks its delegate goes to the
/// delegate of the `dav` load (`ChallengeForwarder`).
final class WebDAVProtocol: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool {
    ["dav", "davs"].contains(request.url?.scheme?.lowercased() ?? "")
  }

  override class var capabilities: Capabilities {
    super.capabilities.union([
      .byteRanges, .upload, .listing, .schemes("dav", "davs"), .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE"),
    ])
  }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    let exchange = try WebDAVExchange(request, writer, self)
    if writer.uploadBody != nil {
      try await exchange.store()
      return try await writer.respond(mimeType: nil, length: 0)
    }
    if request.url?.hasDirectoryPath == true {
      guard request.httpMethod == "DELETE" else { throw exchange.isDirectory }
      // A server would remove all that is in it (RFC 4918, section 9.6.1).
      guard try await exchange.entries().isEmpty else { throw exchange.isNotEmpty }
    }
    // Range and If-Range are among the request's fields, and the server looks at them.
    let (bytes, answer) = try await exchange.session.bytes(for: exchange.request, delegate: exchange.forwarder)
    try exchange.check(answer)
    // Servers redirect a directory's name without a slash to that with one, and may have a page for it.
    if answer.url?.hasDirectoryPath == true, ["GET", "HEAD"].contains(request.httpMethod ?? "GET") {
      throw exchange.isDirectory
    }
    try await writer.respond(exchange.response(answer))
    for try await chunk in bytes.chunks { try await writer.write(chunk) }
  }

  override func list(_ request: URLRequest, to writer: Writer) async throws {
    let exchange = try WebDAVExchange(request, writer, self)
    try await writer.list(try await exchange.entries())
  }
}
