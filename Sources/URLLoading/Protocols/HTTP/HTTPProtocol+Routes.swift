internal import URLLoadingCurlTransport

/// The way of the load's requests: HTTP/3 or TCP.
extension HTTPProtocol {
  /// Nil where HTTP/3 is no question for the request.
  private var routing: HTTPRouting? { sessionClient.flatMap { HTTPRouting(of: request, in: $0.session) } }

  /// Has a request go by HTTP/3, where that is its way.
  /// - Returns: why the request cannot be sent; nil where it can.
  func chooseRoute(
    for transferRequest: inout TransferRequest, hasLogin: Bool, switchesProtocols: Bool
  ) -> URLError? {
    guard let routing else { return nil }
    var route = state.withLock { $0.httpRoute } ?? HTTPRoute()
    routing.begin(
      &transferRequest, for: request, by: &route, allowsQUIC: !hasLogin && !switchesProtocols && proxy == nil)
    state.withLock { $0.httpRoute = route }
    return routing.routes.refusal(of: request.url, isByTCP: route.target == nil)
  }

  /// An answer has come: learns what it says of ways to its origin.
  /// - Returns: whether the request goes to the origin by TCP, since the server does not speak for it.
  func leavesQUIC(for response: HTTPURLResponse, to transfer: Transfer) -> Bool {
    guard let routing else { return false }
    let (target, isStream) = state.withLock { state -> (HTTPRoute.QUICTarget?, Bool) in
      guard !state.isStopped, transfer !== state.retired else { return (nil, true) }
      return (state.httpRoute?.target, state.source?.isStream == true)
    }
    guard let target, HTTPRouting.isMisdirected(response.statusCode, by: target) else {
      routing.answered(response, by: target)
      return false
    }
    routing.misdirected(by: target)
    return !isStream && state.withLock { $0.httpRoute?.failed(by: .refused, isRepeatable: true) != .fail }
  }

  /// The transfer has failed.
  /// - Returns: how the request goes on by TCP; nil where it does not.
  func leavesQUIC(after failure: TransferFailure) -> HTTPRoute.FailureAction? {
    guard let fault = failure.quicFault else { return nil }
    let (target, action) = state.withLock { state in
      (state.httpRoute?.target, state.httpRoute?.failed(by: fault, isRepeatable: failure.isRepeatable))
    }
    if let target { routing?.routes.record(fault, of: target) }
    return action == .fail ? nil : action
  }
}
