/// What a protocol instance can report beyond Apple's ``URLProtocolClient``. The client that a session gives to its
/// instances conforms; every built-in protocol uses it, and every plugin may.
public protocol URLProtocolSessionClient: URLProtocolClient {
  /// The session whose configuration, credentials and delegate apply to this load: for loads of other URLs that the protocol needs.
  var session: URLSession { get }

  /// Back-pressure. An instance that sends after ``URLProtocol/startLoading()`` has returned follows it; one that sends from within
  /// `startLoading()` need not, since its calls to the client block.
  var gate: URLProtocolGate { get }

  /// What the load wants of the instance, beyond the request.
  func urlProtocolDemand(_ protocol: URLProtocol) -> URLProtocolDemand

  /// A redirect. With `bodyFollows` the instance then sends `redirectResponse` and its body, which are the result if the redirect is
  /// refused.
  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse, bodyFollows: Bool)

  /// More of the body, without a `Data` around it. The bytes are copied or written out before the call returns.
  func urlProtocol(_ protocol: URLProtocol, didLoad bytes: UnsafeRawBufferPointer)

  /// More entries of the directory that the URL names, where ``URLProtocolDemand/wantsEntries`` says so: any number of times between
  /// the response and the finish. `didLoad` has no place in a listing.
  func urlProtocol(_ protocol: URLProtocol, didList entries: [URLDirectoryEntry])

  /// An informational (1xx) response came ahead of the final one (RFC 9110, section 15.2).
  func urlProtocol(_ protocol: URLProtocol, didReceiveInformationalResponse response: HTTPURLResponse)

  /// Bytes of the upload body were sent; `totalBytesSent` counts those of this attempt.
  func urlProtocol(_ protocol: URLProtocol, didSendBodyData totalBytesSent: Int64)

  /// Whether the load waits for something else than the peer, such as a free connection: the request timeout does not run meanwhile.
  func urlProtocol(_ protocol: URLProtocol, isWaiting: Bool)

  /// What is known about the exchange: before finish or failure, and ahead of its response where
  /// ``URLProtocolDemand/wantsConnectionMetrics`` asks for it. What comes later takes the place of what came before.
  func urlProtocol(_ protocol: URLProtocol, didCollect metrics: URLSessionTaskTransactionMetrics)

  /// The instance reconnects and retries by itself, because its connection was lost.
  func urlProtocol(_ protocol: URLProtocol, willRetryAfter error: any Error)

  /// The body to upload, or nil. Each call gives it from its beginning when it is data or a file.
  func urlProtocolUploadBody(_ protocol: URLProtocol) -> URLUploadBody?

  /// A body stream was read and must be sent again (after a challenge, say): gets a new one from the delegate.
  func urlProtocol(
    _ protocol: URLProtocol, needsNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
}

extension URLProtocolSessionClient {
  /// Does nothing.
  public func urlProtocol(_ protocol: URLProtocol, willRetryAfter error: any Error) {}
}
