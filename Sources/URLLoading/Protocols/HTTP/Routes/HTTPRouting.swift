internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// What the ways of a session's requests are chosen by, and what their answers are told to: the session's routes, and what origins have
/// announced.
struct HTTPRouting: Sendable {
  let routes: HTTPRoutes
  private let announcements: HTTPCookieStorage

  /// Nil where HTTP/3 is no question for a request.
  init?(of request: URLRequest, in session: URLSession) {
    guard session.parts.mayTakeHTTP3 || request.assumesHTTP3Capable else { return nil }
    let routes = session.component(HTTPRoutes.self)
    guard routes.mayTake(request) else { return nil }
    self.routes = routes
    announcements = session.parts.policyStorage
  }

  /// Chooses the way of a request that has none yet, and has the request go by it.
  /// - Parameter allowsQUIC: whether nothing of the request needs TCP; asked where there is another way. Proxies carry no datagrams, and logins that belong to a connection
  ///   belong to HTTP/1.1.
  func begin(
    _ transferRequest: inout TransferRequest, for request: URLRequest, by route: inout HTTPRoute,
    allowsQUIC: @autoclosure () -> Bool
  ) {
    if !route.isChosen, let target = routes.target(for: request, in: announcements) { route.begin(to: target) }
    guard let target = route.target else { return }
    guard allowsQUIC() else {
      // What answers by TCP is not reached by HTTP/3 now.
      route = HTTPRoute()
      return
    }
    transferRequest.quic = routes.route(to: target)
    if target.isAnnounced {
      // RFC 7838, section 5.
      transferRequest.setField("Alt-Used", to: target.endpoint.authority)
    }
  }

  /// Whether a response says that its server does not speak for the origin (RFC 7838, section 6, and RFC 9110, section 15.5.20): it has
  /// done nothing, and the request may go another way.
  static func isMisdirected(_ status: Int, by target: HTTPRoute.QUICTarget?) -> Bool {
    status == 421 && target?.isOnlyWay == false
  }

  /// Forgets a way whose server does not speak for its origin, which may announce it again.
  func misdirected(by target: HTTPRoute.QUICTarget) {
    announcements.removeAlternative(of: target.origin)
    routes.record(.refused, of: target)
  }

  /// Learns what any other response says of ways to its origin.
  func answered(_ response: HTTPURLResponse, by target: HTTPRoute.QUICTarget?) {
    if let target { routes.record(nil, of: target) }
    routes.learn(from: response, in: announcements)
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
