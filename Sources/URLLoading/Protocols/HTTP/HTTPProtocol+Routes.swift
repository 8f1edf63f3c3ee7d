internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The way of the load's requests: HTTP/3 or TCP.
extension HTTPProtocol {
  /// Nil where HTTP/3 is no question for the request.
  private var routes: HTTPRoutes? {
    guard let session = sessionClient?.session, session.parts.mayTakeHTTP3 || request.assumesHTTP3Capable else {
      return nil
    }
    let routes = session.component(HTTPRoutes.self)
    return routes.mayTake(request) ? routes : nil
  }

  /// Has a request go by HTTP/3, where that is its way. Proxies carry no datagrams, and logins that belong to a connection belong to HTTP/1.1.
  /// - Returns: why the request cannot be sent; nil where it can.
  func chooseRoute(
    for transferRequest: inout TransferRequest, hasLogin: Bool, switchesProtocols: Bool
  ) -> URLError? {
    guard let routes, let session = sessionClient?.session else { return nil }
    var route = state.withLock { $0.httpRoute } ?? HTTPRoute()
    if !route.isChosen, let target = routes.target(for: request, in: session.parts.policyStorage) {
      route.begin(to: target)
    }
    guard let target = route.target, !hasLogin, !switchesProtocols, proxy == nil else {
      // What answers is not reached by HTTP/3 now.
      state.withLock { $0.httpRoute = route.target == nil ? route : nil }
      return routes.refusal(of: request.url, isByTCP: true)
    }
    state.withLock { $0.httpRoute = route }
    transferRequest.quic = routes.route(to: target)
    if target.isAnnounced {
      // RFC 7838, section 5.
      transferRequest.setField("Alt-Used", to: target.endpoint.authority)
    }
    return routes.refusal(of: request.url, isByTCP: false)
  }

  /// An answer has come: learns what it says of ways to its origin.
  /// - Returns: whether the request goes to the origin by TCP, since the server does not speak for it.
  func leavesQUIC(for response: HTTPURLResponse, to transfer: Transfer) -> Bool {
    guard let routes, let storage = sessionClient?.session.parts.policyStorage else {
      return false
    }
    let (target, isStream) = state.withLock { state -> (HTTPRoute.QUICTarget?, Bool) in
      guard !state.isStopped, transfer !== state.retired else { return (nil, true) }
      return (state.httpRoute?.target, state.source?.isStream == true)
    }
    if let target, response.statusCode == 421, !target.isOnlyWay {
      // RFC 7838, section 6, and RFC 9110, section 15.5.20: the server has done nothing. The origin may announce it again.
      storage.removeAlternative(of: target.origin)
      routes.record(.refused, of: target)
      return !isStream && state.withLock { $0.httpRoute?.failed(by: .refused, isRepeatable: true) != .fail }
    }
    if let target { routes.record(nil, of: target) }
    routes.learn(from: response, in: storage)
    return false
  }

  /// The transfer has failed.
  /// - Returns: how the request goes on by TCP; nil where it does not.
  func leavesQUIC(after failure: TransferFailure) -> HTTPRoute.FailureAction? {
    guard let fault = failure.quicFault else { return nil }
    let (target, action) = state.withLock { state in
      (state.httpRoute?.target, state.httpRoute?.failed(by: fault, isRepeatable: failure.isRepeatable))
    }
    if let target { routes?.record(fault, of: target) }
    return action == .fail ? nil : action
  }
}

extension TransferRequest {
  /// Replaces what the request has brought itself.
  fileprivate mutating func setField(_ name: String, to value: String) {
    headers.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    headers.append((name, value))
  }
}

extension HTTPOrigin {
  /// As `Alt-Used` has it: without the port of `https`.
  fileprivate var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}
