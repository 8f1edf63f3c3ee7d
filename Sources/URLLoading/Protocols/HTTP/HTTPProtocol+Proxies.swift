internal import URLLoadingCurlTransport

/// The route of the load: the proxies to try.
extension HTTPProtocol {
  /// Has the session say which proxies there are for the URL, unless it has: the load begins then, or fails.
  /// - Returns: whether it waits for that.
  func awaitsRoute(from proxies: ProxyResolution, _ body: URLUploadBody?) -> Bool {
    guard let url = request.url, state.withLock({ !$0.isStopped && $0.route == nil }) else { return false }
    proxies.route(for: url) { result in
      switch result {
      case .failure(let error): self.client?.urlProtocol(self, didFailWithError: error)
      case .success(let route):
        let isStopped = self.state.withLock { state in
          state.route = route
          return state.isStopped
        }
        if !isStopped { self.begin(body: body) }
      }
    }
    return true
  }

  /// The proxy that the load goes through now; nil for none.
  var proxy: ProxyServer? {
    if let route = state.withLock({ $0.route }) { return route.current }
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
    if let left { sessionClient?.session.component(CurlSession.self).proxies?.noteUnreachable(left) }
    return isTaken
  }
}
