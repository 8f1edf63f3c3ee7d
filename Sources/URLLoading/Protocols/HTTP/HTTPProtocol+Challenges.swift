internal import CurlTransport

/// Answers to challenges, from any thread.
extension HTTPProtocol: URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    let (transfer, schemes) = state.withLock { state in
      defer { state.transfer = nil }
      return (state.transfer, state.exchange.answered())
    }
    guard let schemes else { return }
    transfer?.cancel(discardingUpTo: Self.drainableBytes)
    begin(
      credential: TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: schemes))
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    let (held, transfer) = state.withLock { ($0.exchange.declined(), $0.transfer) }
    guard let held else { return }
    client?.urlProtocol(self, didReceive: held.response, cacheStoragePolicy: .notAllowed)
    if let result = held.result { return complete(result) }
    if loadClient?.urlProtocolShouldPause(self) != true { transfer?.resumeReceiving() }
  }

  func cancel(_ challenge: URLAuthenticationChallenge) {
    client?.urlProtocol(self, didFailWithError: URLError(.userCancelledAuthentication))
  }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
    continueWithoutCredential(for: challenge)
  }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    let next = state.withLock { $0.exchange.rejected() }
    guard let next else { return continueWithoutCredential(for: challenge) }
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: next, proposedCredential: nil, previousFailureCount: challenge.previousFailureCount,
        failureResponse: challenge.failureResponse, error: nil, sender: self))
  }
}
