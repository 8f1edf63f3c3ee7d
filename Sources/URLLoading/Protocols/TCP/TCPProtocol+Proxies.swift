internal import URLLoadingCurlTransport

/// Which proxy the connection goes through, and what the proxy wants of it.
extension TCPProtocol: URLAuthenticationChallengeSender {
  /// Has the session say which proxies there are for the URL, unless it has: the load begins then, or fails.
  /// - Returns: whether it waits for that.
  func awaitsRoute(from proxies: ProxyResolution) -> Bool {
    guard let url = request.url, state.withLock({ !$0.isStopped && $0.route == nil }) else { return false }
    proxies.route(for: URL(string: "http" + url.absoluteString.dropFirst(3)) ?? url) { result in
      switch result {
      case .failure(let error): self.fail(error)
      case .success(let route):
        let isStopped = self.state.withLock { state in
          state.route = route
          return state.isStopped
        }
        if !isStopped { self.begin() }
      }
    }
    return true
  }

  var route: ProxyRoute? { state.withLock { $0.route } }

  private var proxy: ProxyServer? {
    if let route { return route.current }
    return request.url.flatMap {
      sessionClient?.session.component(CurlSession.self).engine.proxy(for: "http" + $0.absoluteString.dropFirst(3))
    }
  }

  /// Begins again through the next proxy, or asks for a login, where a proxy is why the transfer failed.
  /// - Returns: whether the load goes on.
  func blamesProxy(_ failure: TransferFailure) -> Bool {
    if failure.proxyFault == .unreachable { return takesNextProxy() }
    let refusal = failure.proxyResponse.flatMap { head in request.url.map { HTTPURLResponse(url: $0, head: head) } }
    guard failure.proxyFault == .login || refusal?.statusCode == 407, let proxy else { return false }
    forgetLogin(of: proxy)
    let action = state.withLock { state in
      state.refusal = failure
      return state.proxyExchange.failed(failure, for: request, refusal: refusal, by: proxy)
    }
    guard case .challenge(let space, let failures) = action else {
      tell(failure)
      return true
    }
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: refusal,
        error: URLError(failure, url: request.url), sender: self))
    return true
  }

  /// A login for the proxy came.
  func useForProxy(_ credential: URLCredential) {
    let isAnswered = state.withLock { state in
      guard let offer = state.proxyExchange.answered() else { return false }
      state.proxyCredential = TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: offer.schemes)
      return true
    }
    guard isAnswered else { return }
    rememberLogin(credential, for: proxy)
    begin()
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { useForProxy(credential) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { refuse() }
  func cancel(_ challenge: URLAuthenticationChallenge) { refuse() }

  private func refuse() {
    if let failure = state.withLock({ $0.refusal }) { tell(failure) }
  }

  private func takesNextProxy() -> Bool {
    let (left, isTaken) = state.withLock { state -> (ProxyServer?, Bool) in
      guard var route = state.route else { return (nil, false) }
      let left = route.current
      guard route.advance() else { return (left, false) }
      state.route = route
      state.proxyCredential = nil
      state.proxyExchange.proxyChanged()
      return (left, true)
    }
    if let left { sessionClient?.session.component(CurlSession.self).proxies?.noteUnreachable(left) }
    if isTaken { begin() }
    return isTaken
  }
}
