internal import URLLoadingCurlTransport

/// Events of the transfer, on the transfer loop.
extension HTTPProtocol: TransferHandler {
  func transferDidLeaveQueue(_ transfer: Transfer) {
    sessionClient?.urlProtocol(self, isWaiting: false)
  }

  func transferSendsAgain(_ transfer: Transfer) {
    guard state.withLock({ transfer !== $0.retired }) else { return }
    sessionClient?.urlProtocol(
      self, willRetryAfter: URLError(.networkConnectionLost, message: "The connection was lost.", url: request.url))
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {
    guard let url = request.url else { return }
    sessionClient?.urlProtocol(self, didReceiveInformationalResponse: HTTPURLResponse(url: url, head: head))
  }

  func transfer(_ transfer: Transfer, didReceive head: consuming TransferHead) {
    let request = self.request
    guard let url = request.url else { return }
    let response = HTTPURLResponse(url: consume url, head: consume head)
    // A tunnel's proxy answers before there is a request, and that is the transfer's failure.
    let proxy = response.speaker == .proxy ? self.proxy : nil
    if leavesQUIC(for: response, to: transfer) { return sendElsewhere(transfer) }
    let (action, reportsConnection) = state.withLock { state -> (HTTPExchange.HeadAction?, Bool) in
      guard !state.isStopped, transfer !== state.retired else { return (nil, false) }
      state.transfer = transfer
      return (state.exchange.received(response, for: request, from: proxy), state.reportsConnection)
    }
    switch action {
    case nil: break
    case .deliver:
      if reportsConnection { collectHead(of: transfer) }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
    case .redirect(let next):
      // A redirect that is followed ends this transfer early.
      collectHead(of: transfer)
      sessionClient?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response, bodyFollows: true)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
    case .challenge(let space, let failures):
      // So does a challenge that is answered.
      collectHead(of: transfer)
      challenge(space, failures, response)
    case .fail(let error): fail(error, transfer)
    }
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    // An unwanted body is about to be cancelled; a fast sender must wait until then.
    guard transferTakesBody(transfer) else { return .pause }
    sessionClient?.urlProtocol(self, didLoad: bytes)
    return .accepted
  }

  func transferTakesBody(_ transfer: Transfer) -> Bool {
    state.withLock { !$0.isStopped && transfer !== $0.retired && !$0.exchange.awaitsAnswer }
      && sessionClient?.gate.isOpen != false
  }

  func transfer(_ transfer: Transfer, didCoalesce bytes: Data) {
    let isUnwanted = state.withLock { $0.isStopped || transfer === $0.retired }
    if !isUnwanted { client?.urlProtocol(self, didLoad: bytes) }
  }

  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {}

  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {
    if state.withLock({ transfer !== $0.retired }) { sessionClient?.urlProtocol(self, didSendBodyData: total) }
  }

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    let isOver = state.withLock { state in
      guard transfer !== state.retired else { return true }
      // There is nothing left to cancel.
      if state.transfer === transfer { state.ended = state.transfer.take() }
      return state.exchange.completed(result)
    }
    guard !isOver else { return }
    guard case .failure(let failure) = result else { return complete(result) }
    if case .beginByTCP(let repeats) = leavesQUIC(after: failure) {
      if repeats {
        state.withLock { state in
          state.isRepetition = true
          state.exchange.hasBeenRepeated()
        }
      }
      sessionClient?.urlProtocol(self, willRetryAfter: URLError(failure, url: request.url))
      return repeats ? begin(after: failure) : beginAgain()
    }
    let refusal = failure.proxyResponse.flatMap { head in request.url.map { HTTPURLResponse(url: $0, head: head) } }
    let proxy = refusal == nil && failure.proxyFault != .login ? nil : self.proxy
    if let proxy, failure.proxyFault == .login { forgetLogin(of: proxy) }
    if takesNextProxy(after: failure) {
      sessionClient?.urlProtocol(self, willRetryAfter: URLError(failure, url: request.url))
      return begin(after: failure)
    }
    switch state.withLock({ $0.exchange.failed(failure, for: request, refusal: refusal, by: proxy) }) {
    case .fail: complete(result)
    case .challenge(let space, let failures):
      collect(failure.metrics)
      challenge(space, failures, refusal)
    case .question(let question): ask(question)
    case .retry:
      let isUnsent = failure.reason == .closedBefore
      state.withLock { state in
        if !isUnsent { state.isRepetition = true }
        state.avoidsHTTP2 = failure.reason == .lostAnswer
      }
      sessionClient?.urlProtocol(self, willRetryAfter: URLError(failure, url: request.url))
      if isUnsent { beginAgain() } else { begin(after: failure) }
    }
  }

  /// The server does not speak for the origin: the request goes another way, and nothing more of this one is wanted.
  private func sendElsewhere(_ transfer: Transfer) {
    state.withLock { state in
      state.retired = transfer
      state.transfer = nil
    }
    transfer.cancel()
    sessionClient?.urlProtocol(
      self,
      willRetryAfter: URLError(.badServerResponse, message: "The server is not the origin's (421).", url: request.url))
    begin()
  }

  func challenge(_ space: URLProtectionSpace, _ failures: Int, _ response: URLResponse?) {
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: response,
        error: nil, sender: self))
  }

  /// Passes the end of a transfer on.
  func complete(_ result: Result<TransferMetrics, TransferFailure>) {
    switch result {
    case .success(let metrics):
      collect(metrics)
      client?.urlProtocolDidFinishLoading(self)
    case .failure(var failure):
      collect(failure.metrics)
      handleIdentityRefusal(&failure)
      distinguish(failure, through: state.withLock { $0.route }) { failure in
        self.client?.urlProtocol(self, didFailWithError: self.error(for: failure))
      }
    }
  }

  /// Reports what is known when the head has come.
  private func collectHead(of transfer: Transfer) {
    if let metrics = transfer.currentMetrics { collect(metrics, isEnded: false) }
  }

  private func collect(_ metrics: TransferMetrics, isEnded: Bool = true) {
    guard let sessionClient, sessionClient.urlProtocolDemand(self).wantsMetrics else { return }
    let transaction = URLSessionTaskTransactionMetrics(request: request, metrics: metrics)
    if !isEnded { (transaction.responseStartDate, transaction.responseEndDate) = (nil, nil) }
    sessionClient.urlProtocol(self, didCollect: transaction)
  }

  private func fail(_ error: URLError, _ transfer: Transfer) {
    transfer.cancel()
    client?.urlProtocol(self, didFailWithError: error)
  }
}
