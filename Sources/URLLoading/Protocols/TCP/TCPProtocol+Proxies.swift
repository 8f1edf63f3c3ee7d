internal import URLLoadingCurlTransport

extension TCPProtocol: ProxiedProtocol {
  /// What the session's rules for proxies are asked about: a proxy of HTTP makes a tunnel, as it does for `https`.
  var proxiedURL: URL? { request.url.flatMap { URL(string: "https" + $0.absoluteString.dropFirst(3)) } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func withProxies<Result>(_ body: (inout ProxyAttempt) -> Result) -> Result {
    state.withLock { body(&$0.proxies) }
  }

  func record(refusal: TransferFailure) { state.withLock { $0.refusal = refusal } }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    if !resolveTrust(by: .credential(credential)) { useForProxy(credential) }
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    if !resolveTrust(by: .byDefault) { refuse() }
  }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
    if !resolveTrust(by: .rejected) { refuse() }
  }

  func cancel(_ challenge: URLAuthenticationChallenge) {
    if !resolveTrust(by: .rejected) { refuse() }
  }

  private func refuse() {
    if let failure = state.withLock({ $0.refusal }) { tell(failure) }
  }
}
