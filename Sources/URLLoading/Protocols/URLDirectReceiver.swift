/// Where a direct load reports what it loads, see ``URLProtocolDirectLoading``.
public struct URLDirectReceiver: Sendable {
  private let client: any DirectLoadClient

  init(_ client: any DirectLoadClient) {
    self.client = client
  }

  /// Reports how many bytes of the request's body were sent so far. Each report is a sign of life: the request timeout begins anew.
  public func didSend(_ total: Int64) { client.sendDirectly(total: total) }

  /// Reports the response.
  /// - Parameters:
  ///   - response: the one of the load, ahead of the body.
  ///   - policy: where it may be kept. For HTTP its fields decide.
  public func receive(_ response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy) {
    client.receiveDirectly(response, storagePolicy: policy)
  }

  /// Bytes of the body, which are copied.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    if !bytes.isEmpty { client.receiveDirectly(bytes) }
  }

  /// Bytes of the body.
  public func receive(_ data: Data) {
    if !data.isEmpty { client.receiveDirectly(data) }
  }

  /// The body is whole.
  public func finish() { client.finishDirectly() }

  /// The load has failed.
  public func fail(_ error: any Error) { client.failDirectly(error) }

  /// Whether the load waits for something else than the peer, such as a free connection: the request timeout does not run meanwhile.
  public func isWaiting(_ waits: Bool) { client.waitsDirectly(waits) }

  /// An instance of the class, for a load that needs one after all, such as for a redirect: it has a client and the task, and goes on in the
  /// place of the direct load, which keeps it, and passes ``URLDirectLoad/stop()`` on. It is not started by the session.
  /// - Returns: nil where the load has ended.
  public func makeInstance() -> URLProtocol? { client.makeInstanceOfDirectLoad() }
}

/// The load that a receiver reports to.
protocol DirectLoadClient: AnyObject, Sendable {
  func sendDirectly(total: Int64)
  func receiveDirectly(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy)
  func receiveDirectly(_ bytes: UnsafeRawBufferPointer)
  func receiveDirectly(_ data: Data)
  func finishDirectly()
  func failDirectly(_ error: any Error)
  func waitsDirectly(_ waits: Bool)
  func makeInstanceOfDirectLoad() -> URLProtocol?
}
