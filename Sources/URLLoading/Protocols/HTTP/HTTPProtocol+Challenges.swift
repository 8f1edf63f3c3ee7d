internal import URLLoadingCurlTransport

/// Answers to challenges, from any thread.
extension HTTPProtocol: URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    guard !resolve(by: .credential(credential)) else { return }
    let (transfer, offer) = state.withLock { state -> (Transfer?, HTTPExchange.Offer?) in
      guard let offer = state.exchange.answered() else { return (nil, nil) }
      let given = TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: offer.schemes)
      if offer.schemes == .negotiate {
        (state.credential, state.negotiateToken) = (nil, nil)
      } else if offer.space.isProxy() {
        state.proxyCredential = given
      } else {
        state.credential = given
      }
      defer { state.transfer = nil }
      state.retired = state.transfer
      return (state.transfer, offer)
    }
    guard let offer else { return }
    if offer.space.isProxy() { rememberLogin(credential, for: proxy) }
    transfer?.cancel(discardingUpTo: Self.drainableBytes)
    if offer.schemes == .negotiate { negotiate(with: offer.space.host) } else { begin(isFirst: false) }
  }

  /// Has GSS-API make a token, which may take as long as a KDC does, and sends the request with it.
  private func negotiate(with host: String) {
    BlockingPool.protocols.run {
      do throws(NegotiateLogin.Failure) {
        let token = try NegotiateLogin.token(for: host)
        self.state.withLock { $0.negotiateToken = token }
        self.begin(isFirst: false)
      } catch {
        self.client?.urlProtocol(
          self,
          didFailWithError: URLError(
            .userAuthenticationRequired,
            message:
              "The server wants Negotiate (Kerberos), and there is no token for it: \(error.words). Get a ticket with kinit. URL: "
              + "\(self.request.url?.redactedDescription ?? "none").", url: self.request.url))
      }
    }
  }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
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

  /// Makes the handshake again that was ended for a question, or fails.
  /// - Returns: false where no question about a connection waits.
  private func resolve(by decision: ConnectionQuestion.Decision) -> Bool {
    guard let (question, result) = state.withLock({ $0.exchange.takeQuestion() }) else { return false }
    guard case .proceed(let change) = question.resolved(by: decision) else {
      complete(result)
      return true
    }
    state.withLock { state in
      var answers = state.answers ?? [:]
      switch change {
      case .accepts(let certificates): answers[question.endpoint, default: .init()].acceptedCertificates = certificates
      case .trusts(let chain): answers[question.endpoint, default: .init()].trustedChains.insert(chain)
      case .identifies(let choice): answers[question.endpoint, default: .init()].identity = choice
      }
      state.answers = answers
    }
    if case .identifies(.identity(let identity)) = change, case .credential(let credential) = decision,
      credential.persistence != .none, let sessionClient,
      let judge = sessionClient.urlProtocolDemand(self).connectionJudge
    {
      sessionClient.session.component(CurlSession.self).remember(identity, for: question.endpoint, of: judge)
    }
    beginAgain()
    return true
  }
}
