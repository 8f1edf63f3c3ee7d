/// The client of a load's instances: forwards every call with the number of the attempt, so that calls of a stopped instance are
/// ignored.
final class LoadClient: NSObject, URLProtocolSessionClient {
  let load: Load
  let attempt: Int
  let gate: URLProtocolGate
  /// Whether the instance may be blocked where it sends (back-pressure).
  private let mayWait: Bool

  var session: URLSession { load.session }

  init(load: Load, attempt: Int, gate: URLProtocolGate, mayWait: Bool) {
    self.load = load
    self.attempt = attempt
    self.gate = gate
    self.mayWait = mayWait
  }

  /// Bytes of a body in one piece: more than that gains nothing in downloads of 1 GiB.
  private static let largestPiece = 256 << 10

  func urlProtocolDemand(_ protocol: URLProtocol) -> URLProtocolDemand {
    var (demand, isStreamed, answerer) = load.read { state in
      var demand = URLProtocolDemand()
      demand.wantsEntries = load.plan.kind == .listing
      demand.wantsInfo = load.plan.wantsInfo
      demand.storedPermissions = load.plan.storedPermissions
      demand.wantsMetrics = state.delegates.task != nil || load.events != nil
      demand.wantsConnectionMetrics = load.events != nil
      demand.priority = state.priority
      demand.isSentOnce = load.plan.isSentOnce
      if load.plan.kind.isDuplex {
        demand.upstream = (state.sink as? any DuplexSink)?.upstream.forInstance(ofAttempt: attempt)
      }
      let isStreamed = load.plan.kind == .download || state.sink?.holdsBytes == true
      let answerer = load.session.values.asksAboutConnections ? state.delegates.answersAboutConnections : .nobody
      return (demand, isStreamed, answerer)
    }
    switch answerer {
    case .nobody: break
    case .session: demand.connectionJudge = TrustEvaluators.session
    case .task(let delegate):
      demand.connectionJudge = load.session.component(TrustEvaluators.self).evaluator(delegate)
    }
    // One buffer takes pieces as they come; for a slow consumer several pieces are buffered.
    if isStreamed {
      demand.preferredPieceLength = min(Self.largestPiece, load.session.values.maximumBufferedBytesPerTask / 4)
    }
    return demand
  }

  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    load.redirected(to: request, response: redirectResponse, responseFollows: false, attempt: attempt)
  }

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse, bodyFollows: Bool
  ) {
    load.redirected(to: request, response: redirectResponse, responseFollows: bodyFollows, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    load.answersFromCache(attempt: attempt)
    load.receive(cachedResponse.response, attempt: attempt)
    load.receive(cachedResponse.data, attempt: attempt)
    load.receive(.finished, attempt: attempt)
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    load.receive(response, storagePolicy: policy, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    guard !data.isEmpty else { return }
    load.receive(data, attempt: attempt)
    if mayWait { gate.holdBackProducer() }
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    load.receive(bytes, attempt: attempt)
    if mayWait { gate.holdBackProducer() }
  }

  func urlProtocol(_ protocol: URLProtocol, didList entries: [URLDirectoryEntry]) {
    load.receive(entries, attempt: attempt)
    if mayWait { gate.holdBackProducer() }
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
    load.passChallenge(attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceiveInformationalResponse response: HTTPURLResponse) {
    load.receivedInformational(response, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, didSendBodyData totalBytesSent: Int64) {
    load.sentBody(total: totalBytesSent, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, isWaiting: Bool) {
    load.waiting(isWaiting, attempt: attempt)
    load.events?.report(.queued(isWaiting))
  }

  func urlProtocol(_ protocol: URLProtocol, didCollect metrics: URLSessionTaskTransactionMetrics) {
    load.collected(metrics, attempt: attempt)
  }

  func urlProtocol(_ protocol: URLProtocol, willRetryAfter error: any Error) {
    load.events?.report(.retries(.connectionLost))
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
