internal import URLLoadingCurlTransport

/// Events of the connection, on the transfer loop.
extension TCPProtocol: TransferHandler {
  func transferDidLeaveQueue(_ transfer: Transfer) {
    sessionClient?.urlProtocol(self, isWaiting: false)
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {}

  func transfer(_ transfer: Transfer, didReceive head: consuming TransferHead) {
    guard let url = request.url else { return }
    state.withLock { $0.hasConnected = true }
    if let metrics = transfer.currentMetrics { collect(metrics, isEnded: false) }
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    guard transferTakesBody(transfer) else { return .pause }
    sessionClient?.urlProtocol(self, didLoad: bytes)
    return .accepted
  }

  func transferTakesBody(_ transfer: Transfer) -> Bool {
    state.withLock { !$0.isStopped } && sessionClient?.gate.isOpen != false
  }

  func transferInputDidEnd(_ transfer: Transfer) {
    sessionClient?.urlProtocolDemand(self).upstream?.inputEnded()
  }

  func transfer(_ transfer: Transfer, sendingDidFailWith failure: TransferFailure) {
    sessionClient?.urlProtocolDemand(self).upstream?.outputFailed(URLError(failure, url: request.url))
  }

  func transfer(_ transfer: Transfer, didCoalesce bytes: Data) { client?.urlProtocol(self, didLoad: bytes) }
  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {}
  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {}

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    switch result {
    case .success(let metrics):
      collect(metrics)
      client?.urlProtocolDidFinishLoading(self)
    case .failure(let failure):
      if state.withLock({ $0.hasConnected }) || !blamesProxy(failure) { tell(failure) }
    }
  }

  /// Passes a failure on.
  func tell(_ failure: TransferFailure) {
    collect(failure.metrics)
    fail(URLError(failure, url: request.url))
  }

  private func collect(_ metrics: TransferMetrics, isEnded: Bool = true) {
    guard let sessionClient, sessionClient.urlProtocolDemand(self).wantsMetrics else { return }
    let transaction = URLSessionTaskTransactionMetrics(request: request, metrics: metrics)
    if !isEnded { (transaction.responseStartDate, transaction.responseEndDate) = (nil, nil) }
    sessionClient.urlProtocol(self, didCollect: transaction)
  }
}
