internal import URLLoadingCurlTransport

extension URLProtocol {
  /// Passes the failure of a transfer on to `tell`: at once, but where a name was not found and the session waits for connectivity. There
  /// a name service that cannot be reached is told from a name that does not exist first, and meanwhile the request timeout stands still.
  /// - Parameter route: the proxies of the load, where they had to be asked for.
  final func distinguish(
    _ failure: TransferFailure, through route: ProxyRoute? = nil,
    then tell: @escaping @Sendable (TransferFailure) -> Void
  ) {
    guard let name = failure.unresolvedName, let client = sessionClient,
      client.session.configuration.waitsForConnectivity, let url = request.url
    else { return tell(failure) }
    let host =
      switch name {
      case .host: url.host(percentEncoded: true)
      case .proxy where route != nil: route?.current?.host
      case .proxy: client.session.component(CurlSession.self).engine.proxy(for: url.absoluteString)?.host
      }
    guard let host else { return tell(failure) }
    client.urlProtocol(self, isWaiting: true)
    NameServiceCheck.shared.ask(about: host) { lacksService in
      var failure = failure
      if lacksService { failure.lacksNameService() }
      tell(failure)
    }
  }
}
