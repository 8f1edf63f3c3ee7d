internal import URLLoadingCurlTransport

extension HTTPProtocol: URLProtocolDirectLoading {
  /// Not for what an instance answers itself, or has to ask for: a URL without a host or with a login, a range, proxies of scripts. Nor for
  /// that of a Unix socket, which is turned into another.
  static func directLoad(of request: URLRequest, in session: URLSession) -> (any URLDirectLoad)? {
    let facts = request.urlFacts
    guard request.url != nil, facts.isHTTP, facts.hasHost, !facts.hasUser, URLError.unvalidatedName(of: request) == nil,
      request.value(forHTTPHeaderField: "Range") == nil
    else { return nil }
    let connections = session.component(CurlSession.self)
    guard connections.proxies?.isNeeded != true else { return nil }
    guard session.parts.mayTakeHTTP3 || request.assumesHTTP3Capable, facts.isHTTPS else {
      return HTTPDirectLoad(request, on: connections, way: nil)
    }
    let way = HTTPRouting(of: request, in: session).map { HTTPDirectWay($0) }
    return HTTPDirectLoad(request, on: connections, way: way)
  }

  /// Goes on with a transfer that was begun without an instance.
  /// - Parameter route: the way of its request; nil where HTTP/3 was no question.
  func takeOver(_ transfer: Transfer, by route: HTTPRoute?) {
    state.withLock { state in
      state.starts = 1
      state.httpRoute = route
      state.transfer = transfer
    }
    guard let gate = sessionClient?.gate else { return }
    gate.observe { self.follow($0) }
    transfer.begin(under: gate)
  }
}
