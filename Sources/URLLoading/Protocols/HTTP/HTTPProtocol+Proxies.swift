internal import URLLoadingCurlTransport

/// The route of the load: the proxies to try.
extension HTTPProtocol {
  /// Asks for the proxies of the URL, once.
  /// - Parameter begin: called where they are known later.
  /// - Returns: whether the load goes on now; false also where it has failed, or was stopped meanwhile.
  func resolvesRoute(with proxies: ProxyResolution, otherwise begin: @escaping @Sendable () -> Void) -> Bool {
    guard let url = request.url, state.withLock({ !$0.isStopped && $0.route == nil }) else { return true }
    return proxies.resolvesRoute(for: url, take: { self.takesRoute($0) }, otherwise: begin)
  }

  /// - Returns: whether the load goes on.
  private func takesRoute(_ result: Result<ProxyRoute, URLError>) -> Bool {
    switch result {
    case .failure(let error):
      client?.urlProtocol(self, didFailWithError: error)
      return false
    case .success(let route):
      return state.withLock { state in
        state.route = route
        return !state.isStopped
      }
    }
  }

  /// The proxy that the load goes through now; nil for none.
  var proxy: ProxyServer? {
    if let route = state.withLock({ $0.route }) { return route.current }
    guard socket == nil else { return nil }
    return request.url.flatMap {
      sessionClient?.session.component(CurlSession.self).engine.proxy(for: $0.absoluteString)
    }
  }

  /// Takes the next proxy where this one could not be reached. No credential goes from the one to the other.
  /// - Returns: whether there is one.
  func takesNextProxy(after failure: TransferFailure) -> Bool {
    guard failure.proxyFault == .unreachable else { return false }
    let (left, isTaken) = state.withLock { state -> (ProxyServer?, Bool) in
      guard var route = state.route else { return (nil, false) }
      let left = route.current
      let isTaken = route.advance()
      if isTaken {
        state.route = route
        state.proxyCredential = nil
        state.exchange.proxyChanged()
      }
      return (left, isTaken)
    }
    if let left { sessionClient?.session.component(CurlSession.self).proxies?.recordUnreachable(left) }
    return isTaken
  }
}
