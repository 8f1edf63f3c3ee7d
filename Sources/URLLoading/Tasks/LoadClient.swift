/// What a load gives to a protocol instance to report to: passes everything on with the number of the attempt, so that
/// what a stopped instance still says is told apart.
final class LoadClient: NSObject, URLProtocolLoadClient {
  private let load: Load
  private let attempt: Int
  /// Whether the instance may be made to wait where it sends.
  private let mayWait: Bool

  var session: URLSession { load.session }

  init(load: Load, attempt: Int, mayWait: Bool) {
    self.load = load
    self.attempt = attempt
    self.mayWait = mayWait
  }

  /// What the load knows that a transfer has to.
  struct TransferNeeds {
    var wantsMetrics: Bool
    /// How much of a body is worth being handed on at once, in bytes: nothing beyond what comes by itself where it is collected in
    /// one buffer anyway, and never more than a part of what may wait for a slow consumer.
    var gatheringCount = 0
    var priority: Float
  }

  var transferNeeds: TransferNeeds {
    var (needs, isStreamed) = load.read { state in
      (
        TransferNeeds(wantsMetrics: state.delegates.task != nil, priority: state.priority),
        load.plan.kind == .download || state.sink?.holdsBytes == true
      )
    }
    if isStreamed {
      needs.gatheringCount = min(Self.largestGathering, load.session.values.maximumBufferedBytesPerTask / 4)
    }
    return needs
  }

  private static let largestGathering = 256 << 10

  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    load.redirected(to: request, response: redirectResponse, responseFollows: false, attempt: attempt)
  }

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse, bodyFollows: Bool
  ) {
    load.redirected(to: request, response: redirectResponse, responseFollows: bodyFollows, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    load.receive(.response(cachedResponse.response), attempt: attempt)
    load.receive(.data(cachedResponse.data), attempt: attempt)
    load.receive(.finished, attempt: attempt)
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    load.receive(.response(response), attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    guard !data.isEmpty else { return }
    load.receive(data, attempt: attempt)
    if mayWait { load.holdBackProducer(attempt: attempt) }
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    load.receive(bytes, attempt: attempt)
    if mayWait { load.holdBackProducer(attempt: attempt) }
  }

  func urlProtocol(_ protocol: URLProtocol, didList entries: [URLDirectoryEntry]) {
    load.receive(entries, attempt: attempt)
    if mayWait { load.holdBackProducer(attempt: attempt) }
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
    load.receive(.finished, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    load.receive(.failed(error), attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    load.challenged(challenge, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
    load.withdrawChallenge(attempt: attempt)
  }

  func urlProtocolShouldPause(_ protocol: URLProtocol) -> Bool {
    load.shouldPause(attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceiveInformationalResponse response: HTTPURLResponse) {
    load.receivedInformational(response, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didSendBodyData totalBytesSent: Int64) {
    load.sentBody(total: totalBytesSent, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, isWaiting: Bool) {
    load.waiting(isWaiting, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didCollect metrics: URLSessionTaskTransactionMetrics) {
    load.collected(metrics, attempt: attempt)
  }

  func urlProtocolWantsMetrics(_ protocol: URLProtocol) -> Bool {
    load.read { $0.delegates.task != nil }
  }

  func urlProtocolUploadBody(_ protocol: URLProtocol) -> URLUploadBody? {
    load.uploadBody(attempt: attempt)
  }

  func urlProtocol(
    _ protocol: URLProtocol, needsNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    load.needsNewBodyStream(attempt: attempt, completionHandler)
  }
}
