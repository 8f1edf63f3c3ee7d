internal import URLLoadingCurlTransport

extension TCPProtocol: ProxiedProtocol {
  /// A proxy passes a connection on as it passes on one of HTTP.
  var proxiedURL: URL? { request.url.flatMap { URL(string: "http" + $0.absoluteString.dropFirst(3)) } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func withProxies<Result>(_ body: (inout ProxyAttempt) -> Result) -> Result {
    state.withLock { body(&$0.proxies) }
  }

  func note(refusal: TransferFailure) { state.withLock { $0.refusal = refusal } }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { useForProxy(credential) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { refuse() }
  func cancel(_ challenge: URLAuthenticationChallenge) { refuse() }

  private func refuse() {
    if let failure = state.withLock({ $0.refusal }) { tell(failure) }
  }
}
