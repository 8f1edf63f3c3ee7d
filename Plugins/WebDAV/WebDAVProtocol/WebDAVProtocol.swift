import URLLoading

// Safe to share: it has no state of its own.
/// Loads `dav` and, over TLS, `davs` URLs: files and directories of WebDAV servers (RFC 4918), at `dav://user@host:port/path`.
///
/// Register it with `URLProtocol.registerClass(WebDAVProtocol.self)`, or put it in `URLSessionConfiguration.protocolClasses`. Downloads, byte
/// ranges and resuming work as for `https`; `entries(at:)` lists directories; an upload task stores its body; the method `DELETE` deletes a
/// file or an empty directory, `MKCOL` makes a directory, `MOVE` and `COPY` move and copy.
///
/// Every exchange with the server is an `http` load of the same session, so that its configuration, credentials, trust, proxies, cookies, cache
/// and metrics are those of the program; what such a load asks its delegate goes to the delegate of the `dav` load.
///
/// Open for one purpose: a subclass whose ``canInit(with:)`` accepts only some URLs, such as those of one host, restricts what a session can
/// reach. Nothing else can be overridden.
open class WebDAVProtocol: AsyncURLProtocol, @unchecked Sendable {
  /// Whether the URL's scheme is `dav` or `davs`.
  open override class func canInit(with request: URLRequest) -> Bool {
    ["dav", "davs"].contains(request.url?.scheme?.lowercased() ?? "")
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .upload, .listing, .resourceInfo, .nonblocking, .connectivity, .background, .schemes("dav", "davs"),
    .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE", "MKCOL", "MOVE", "COPY"),
  ]

  /// Byte ranges, uploads, listing, descriptions and connectivity; the schemes `dav` and `davs`, and the methods `GET`, `HEAD`, `PUT`, `DELETE`,
  /// `MKCOL`, `MOVE` and `COPY`.
  public final override class var capabilities: Capabilities { declared }

  /// Loads, stores or changes what the URL names.
  public final override func load(_ request: URLRequest, to writer: Writer) async throws {
    let exchange = try Exchange(request, writer, self)
    do {
      if let body = writer.uploadBody {
        try await FileStore(exchange: exchange, request: request, body: body).run()
      } else if ["GET", "HEAD"].contains(request.httpMethod ?? "GET") {
        try await FileLoad(exchange: exchange, request: request).run()
      } else {
        try await ServerChange(exchange: exchange, request: request).run()
      }
    } catch {
      throw exchange.failure(error)
    }
  }

  /// Tells what the URL names, a directory as well.
  public final override func describe(_ request: URLRequest, to writer: Writer) async throws {
    let exchange = try Exchange(request, writer, self)
    do {
      try await ResourceDescription(exchange: exchange, request: request).run()
    } catch {
      throw exchange.failure(error)
    }
  }

  /// Lists the directory that the URL names.
  public final override func list(_ request: URLRequest, to writer: Writer) async throws {
    let exchange = try Exchange(request, writer, self)
    do {
      try await DirectoryListing(exchange: exchange, request: request).run()
    } catch {
      throw exchange.failure(error)
    }
  }
}
