/// What a protocol instance can report beyond Apple's ``URLProtocolClient``. The client that a session gives to its
/// instances conforms; every built-in protocol uses it, and every plugin may.
public protocol URLProtocolSessionClient: URLProtocolClient {
  /// The session whose configuration, credentials and delegate apply to this load. A protocol that needs bytes from
  /// elsewhere loads them through it.
  var session: URLSession { get }

  /// Says whether the load wants more now: back-pressure, which every instance follows that sends after ``URLProtocol/startLoading()``
  /// has returned. An instance that sends from within `startLoading()` need not: its calls to the client wait.
  var gate: URLProtocolGate { get }

  /// What the load wants of the instance, beyond the request.
  func urlProtocolDemand(_ protocol: URLProtocol) -> URLProtocolDemand

  /// The resource is elsewhere, and where `bodyFollows` the instance goes on with `redirectResponse` and its body: they are
  /// the result if the redirect is refused, however soon that is.
  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse, bodyFollows: Bool)

  /// More of the body, without a `Data` around it. The bytes are copied or written out before the call returns.
  func urlProtocol(_ protocol: URLProtocol, didLoad bytes: UnsafeRawBufferPointer)

  /// More entries of the directory that the URL names, where ``URLProtocolDemand/wantsEntries`` says so: any number of times between
  /// the response and the finish. `didLoad` has no place in a listing.
  func urlProtocol(_ protocol: URLProtocol, didList entries: [URLDirectoryEntry])

  /// An informational (1xx) response came ahead of the final one (RFC 9110, section 15.2).
  func urlProtocol(_ protocol: URLProtocol, didReceiveInformationalResponse response: HTTPURLResponse)

  /// Bytes of the upload body left; `totalBytesSent` counts those of this attempt.
  func urlProtocol(_ protocol: URLProtocol, didSendBodyData totalBytesSent: Int64)

  /// The load waits for something that is not the peer's fault, such as a free connection: the request timeout stands
  /// still until it waits no more.
  func urlProtocol(_ protocol: URLProtocol, isWaiting: Bool)

  /// What is known about the exchange that just ended: once, before finish or failure.
  func urlProtocol(_ protocol: URLProtocol, didCollect metrics: URLSessionTaskTransactionMetrics)

  /// The body to upload, or nil. Each call gives it from its beginning when it is data or a file.
  func urlProtocolUploadBody(_ protocol: URLProtocol) -> URLUploadBody?

  /// A body stream was used up and must be sent again (after a challenge, say): asks the delegate for a new one.
  func urlProtocol(
    _ protocol: URLProtocol, needsNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
}
