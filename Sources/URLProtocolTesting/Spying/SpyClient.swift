import URLLoading

/// The client of a spied instance: records what the instance reports and forwards it to the session.
///
/// Only the instance retains it, so it ends with the instance.
final class SpyClient: NSObject, URLProtocolSessionClient {
  private let target: any URLProtocolSessionClient
  private let ledger: Ledger
  private let number: Int
  private let task: URLSessionTask
  private let stop: AwaitedStop

  var session: URLSession { target.session }
  var gate: URLProtocolGate { target.gate }

  init(_ target: any URLProtocolSessionClient, _ ledger: Ledger, number: Int, task: URLSessionTask, stop: AwaitedStop) {
    self.target = target
    self.ledger = ledger
    self.number = number
    self.task = task
    self.stop = stop
  }

  deinit {
    ledger.update(number) { $0.isReleased = true }
  }

  private func record(_ event: EventOrder.Event) {
    ledger.update(number) { entry in
      entry.order.record(event)
      if case .data(let count) = event, entry.stops > 0 { entry.bytesAfterStop += count }
    }
  }

  private func report(_ moment: Moment) { ledger.hook?(moment, task) }

  private func reportData() {
    if ledger.hook != nil { report(.data(ledger.entries.value[number].order.bytes)) }
    settle()
  }

  private func settle() {
    if task.state == .canceling || task.state == .completed { stop.wait() }
  }

  // MARK: Apple's calls

  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    record(.redirect)
    target.urlProtocol(`protocol`, wasRedirectedTo: request, redirectResponse: redirectResponse)
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    record(.response)
    record(.data(cachedResponse.data.count))
    record(.finish)
    target.urlProtocol(`protocol`, cachedResponseIsValid: cachedResponse)
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    record(.response)
    target.urlProtocol(`protocol`, didReceive: response, cacheStoragePolicy: policy)
    report(.response)
    settle()
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    record(.data(data.count))
    target.urlProtocol(`protocol`, didLoad: data)
    reportData()
  }

  func urlProtocol(_ protocol: URLProtocol, didList entries: [URLDirectoryEntry]) {
    // Entries have the place of data in the order of events, and no bytes.
    record(.data(0))
    target.urlProtocol(`protocol`, didList: entries)
    settle()
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
    record(.finish)
    target.urlProtocolDidFinishLoading(`protocol`)
    report(.finished)
  }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    record(.failure)
    target.urlProtocol(`protocol`, didFailWithError: error)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    record(.challenge)
    target.urlProtocol(`protocol`, didReceive: challenge)
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
    target.urlProtocol(`protocol`, didCancel: challenge)
  }

  // MARK: Our additions

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse, bodyFollows: Bool
  ) {
    record(.redirect)
    target.urlProtocol(
      `protocol`, wasRedirectedTo: request, redirectResponse: redirectResponse, bodyFollows: bodyFollows)
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad bytes: UnsafeRawBufferPointer) {
    record(.data(bytes.count))
    target.urlProtocol(`protocol`, didLoad: bytes)
    reportData()
  }

  func urlProtocol(_ protocol: URLProtocol, didReceiveInformationalResponse response: HTTPURLResponse) {
    target.urlProtocol(`protocol`, didReceiveInformationalResponse: response)
  }

  func urlProtocol(_ protocol: URLProtocol, didSendBodyData totalBytesSent: Int64) {
    target.urlProtocol(`protocol`, didSendBodyData: totalBytesSent)
    report(.sent(Int(clamping: totalBytesSent)))
  }

  func urlProtocol(_ protocol: URLProtocol, isWaiting: Bool) { target.urlProtocol(`protocol`, isWaiting: isWaiting) }

  func urlProtocolDemand(_ protocol: URLProtocol) -> URLProtocolDemand { target.urlProtocolDemand(`protocol`) }

  func urlProtocol(_ protocol: URLProtocol, didCollect metrics: URLSessionTaskTransactionMetrics) {
    target.urlProtocol(`protocol`, didCollect: metrics)
  }

  func urlProtocol(_ protocol: URLProtocol, willRetryAfter error: any Error) {
    target.urlProtocol(`protocol`, willRetryAfter: error)
  }

  func urlProtocolUploadBody(_ protocol: URLProtocol) -> URLUploadBody? { target.urlProtocolUploadBody(`protocol`) }

  func urlProtocol(
    _ protocol: URLProtocol, needsNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    target.urlProtocol(`protocol`, needsNewBodyStream: completionHandler)
  }
}
