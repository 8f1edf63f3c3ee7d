internal import URLLoadingCurlTransport

/// Answers to challenges, from any thread.
extension HTTPProtocol: URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    let (transfer, isAnswered) = state.withLock { state -> (Transfer?, Bool) in
      guard let offer = state.exchange.answered() else { return (nil, false) }
      let given = TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: offer.schemes)
      if offer.space.isProxy() { state.proxyCredential = given } else { state.credential = given }
      defer { state.transfer = nil }
      state.retired = state.transfer
      return (state.transfer, true)
    }
    guard isAnswered else { return }
    if challenge.protectionSpace.isProxy() { rememberLogin(credential, for: proxy) }
    transfer?.cancel(discardingUpTo: Self.drainableBytes)
    begin(isFirst: false)
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
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
    let next = state.withLock { $0.exchange.rejected() }
    guard let next else { return continueWithoutCredential(for: challenge) }
    self.challenge(next, challenge.previousFailureCount, challenge.failureResponse)
  }
}
