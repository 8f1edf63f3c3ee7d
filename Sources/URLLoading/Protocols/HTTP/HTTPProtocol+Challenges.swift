internal import URLLoadingCurlTransport

/// Answers to challenges, from any thread.
extension HTTPProtocol {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    guard !resolve(by: .credential(credential)) else { return }
    guard let space = state.withLock({ $0.exchange.negotiateBesideOthers }) else { return logIn(credential) }
    // The next offer of the same answer is there for those who have no ticket.
    negotiate(in: space) {
      self.logIn(credential)
    } otherwise: { _ in
      self.rejectProtectionSpaceAndContinue(with: challenge)
    }
  }

  /// Sends the request again, with a credential for what is offered.
  private func logIn(_ credential: URLCredential) {
    let (transfer, offer) = state.withLock { state -> (Transfer?, HTTPExchange.Offer?) in
      guard let offer = state.exchange.answered() else { return (nil, nil) }
      state.logIn(credential, as: offer)
      defer { state.transfer = nil }
      state.retired = state.transfer
      return (state.transfer, offer)
    }
    guard let offer else { return }
    if offer.space.isProxy() { rememberLogin(credential, for: proxy) }
    transfer?.cancel(discardingUpTo: Self.drainableBytes)
    begin(isFirst: false)
  }

  /// Obtains a GSS-API token for the request that `begin` sends, or ends the load for want of one.
  func negotiate(in space: URLProtectionSpace, then begin: @escaping @Sendable () -> Void) {
    negotiate(in: space, then: begin) { failure in
      self.client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .userAuthenticationRequired,
          message:
            "The \(space.isProxy() ? "proxy" : "server") wants Negotiate (Kerberos), and there is no token for it: \(failure.words). Get a ticket with kinit.",
          url: self.request.url))
    }
  }

  /// Obtains a GSS-API token. That may take as long as a KDC does; the load may end meanwhile, and then neither is called.
  private func negotiate(
    in space: URLProtectionSpace, then begin: @escaping @Sendable () -> Void,
    otherwise fail: @escaping @Sendable (NegotiateLogin.Failure) -> Void
  ) {
    let take: @Sendable (NegotiateTokens.Outcome) -> Void = { outcome in
      switch outcome {
      case .success(let data):
        let isStopped = self.state.withLock { state in
          state.negotiation = nil
          state.negotiateToken = NegotiateToken(data: data, isForProxy: space.isProxy())
          return state.isStopped
        }
        if !isStopped { begin() }
      case .failure(let failure):
        let isStopped = self.state.withLock { state in
          state.negotiation = nil
          return state.isStopped
        }
        if !isStopped { fail(failure) }
      }
    }
    // Whoever stops finds the request to cancel, or it is not made.
    state.withLock { state in
      if !state.isStopped { state.negotiation = NegotiateTokens.shared.get(for: space.host, take) }
    }
  }

  /// A ticket is not used unasked, but a password of the URL or of a storage may answer another offer.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    if state.withLock({ $0.exchange.negotiateBesideOthers }) != nil {
      rejectProtectionSpaceAndContinue(with: challenge)
    } else {
      continueWithoutCredential(for: challenge)
    }
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    guard !resolve(by: .byDefault) else { return }
    let (isDeclined, response) = state.withLock { $0.exchange.declined() }
    guard isDeclined else { return }
    if let response { client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
    let (result, transfer) = state.withLock { ($0.exchange.released(), $0.transfer) }
    if let result { return complete(result) }
    if sessionClient?.gate.isOpen != false { transfer?.resume() }
  }

  func cancel(_ challenge: URLAuthenticationChallenge) {
    client?.urlProtocol(self, didFailWithError: URLError(.userCancelledAuthentication))
  }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    guard !resolve(by: .rejected) else { return }
    let next = state.withLock { $0.exchange.rejected() }
    guard let next else { return continueWithoutCredential(for: challenge) }
    self.challenge(next, challenge.previousFailureCount, challenge.failureResponse)
  }
}

extension HTTPProtocol: TrustEvaluatingProtocol {
  func takeQuestion() -> (ConnectionQuestion, Result<TransferMetrics, TransferFailure>)? {
    state.withLock { $0.exchange.takeQuestion() }
  }

  func withAnswers<Result>(_ body: (inout CurlSession.Answers?) -> Result) -> Result {
    state.withLock { body(&$0.answers) }
  }
}

extension HTTPProtocol.State {
  /// Has the next requests log in as the server or proxy offers.
  fileprivate mutating func logIn(_ credential: URLCredential, as offer: HTTPExchange.Offer) {
    let isNegotiate = offer.schemes == .negotiate
    let given = TransferCredential(
      user: credential.user ?? "", password: credential.password ?? "", schemes: offer.schemes)
    if offer.space.isProxy() {
      proxyCredential = isNegotiate ? nil : given
    } else {
      self.credential = isNegotiate ? nil : given
    }
    if isNegotiate {
      // The token for it may be there.
      negotiateSpace = offer.space
    } else {
      negotiateToken = nil
      if negotiateSpace?.isProxy() == offer.space.isProxy() { negotiateSpace = nil }
    }
  }
}
