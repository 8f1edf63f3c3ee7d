/// The client of a protocol instance: Apple's calls. ``URLProtocolSessionClient`` has our additions.
///
/// The order is *(redirect | challenge)\*, one response, data\*, finish*; a failure may come at any time.
/// Data ahead of the response, as classes for tests send it, is held until the response or the end; a finish without a response is an end
/// without an error for tasks with a delegate or a completion handler. The conformance kit reports both.
/// In a listing, entries take the place of data, by a call of ``URLProtocolSessionClient``.
@preconcurrency
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
  /// A redirect. When it is followed, this instance is stopped and `request` is loaded. When it is refused, `redirectResponse` is the
  /// result, without a body unless the instance has reported it as received by then. For a redirect with a body
  /// ``URLProtocolSessionClient`` has a call with `bodyFollows`.
  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)

  /// The cached response that the instance was made with is valid.
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)

  /// The response's head: once, before any data.
  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)

  /// More of the body: new bytes only.
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)

  /// The body is whole.
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)

  /// The load failed. A body that was sent so far is not whole.
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)

  /// Credentials or a decision are needed; the answer comes through the challenge's sender. One at a time.
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)

  /// The challenge needs no answer any more.
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}
