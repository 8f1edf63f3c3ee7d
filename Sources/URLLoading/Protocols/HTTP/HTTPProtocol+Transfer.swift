internal import CurlTransport

/// What the transfer says, on the transfer loop.
extension HTTPProtocol: TransferHandler {
  func transferDidLeaveQueue(_ transfer: Transfer) {
    loadClient?.urlProtocol(self, isWaiting: false)
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {
    guard let url = request.url else { return }
    loadClient?.urlProtocol(self, didReceiveInformationalResponse: HTTPURLResponse(url: url, head: head))
  }

  func transfer(_ transfer: Transfer, didReceive head: TransferHead) {
    guard let url = request.url else { return }
    let response = HTTPURLResponse(url: url, head: head)
    let action = state.withLock { state in
      let action = state.exchange.received(response, for: request)
      if case .challenge = action { state.challenged = transfer }
      return action
    }
    switch action {
    case .deliver: client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
    case .redirect(let next):
      client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
    case .challenge(let space, let failures):
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: response,
        error: nil, sender: self)
      client?.urlProtocol(self, didReceive: challenge)
    case .fail(let error): fail(error, transfer)
    }
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    let (isHolding, isReplaced) = state.withLock { ($0.exchange.isHolding, $0.replaced === transfer) }
    if isReplaced { return .accepted }
    if isHolding { return .pause }
    loadClient?.urlProtocol(self, didLoad: bytes)
    return .accepted
  }

  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {}

  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {
    loadClient?.urlProtocol(self, didSendBodyData: total)
  }

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    let isNotTheEnd = state.withLock { state in
      // There is nothing left to cancel.
      if state.transfer === transfer { state.transfer = nil }
      return state.replaced === transfer || state.exchange.completed(result)
    }
    if !isNotTheEnd { complete(result) }
  }

  /// Passes the end of a transfer on.
  func complete(_ result: Result<TransferMetrics, TransferFailure>) {
    guard let loadClient else { return }
    if loadClient.urlProtocolWantsMetrics(self) {
      let metrics: TransferMetrics =
        switch result {
        case .success(let metrics): metrics
        case .failure(let failure): failure.metrics
        }
      loadClient.urlProtocol(self, didCollect: URLSessionTaskTransactionMetrics(request: request, metrics: metrics))
    }
    switch result {
    case .success: loadClient.urlProtocolDidFinishLoading(self)
    case .failure(let failure): loadClient.urlProtocol(self, didFailWithError: URLError(failure, url: request.url))
    }
  }

  private func fail(_ error: URLError, _ transfer: Transfer) {
    transfer.cancel()
    client?.urlProtocol(self, didFailWithError: error)
  }
}
