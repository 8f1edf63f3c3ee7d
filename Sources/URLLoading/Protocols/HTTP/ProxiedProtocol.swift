internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The proxies of a load, and the state of a login to one of them.
struct ProxyAttempt {
  /// The proxies, where they had to be asked for.
  @Boxed var route: ProxyRoute?
  @Boxed var credential: TransferCredential?
  var exchange = HTTPExchange(offersNegotiate: false)
}

/// A class that goes through proxies and does not speak their protocol itself: FTP, and connections alone. They are asked for first, another
/// one is taken where one cannot be reached, and a login that one wants is a challenge.
protocol ProxiedProtocol: URLProtocol, URLAuthenticationChallengeSender {
  /// What the session's rules for proxies are asked about.
  var proxiedURL: URL? { get }
  var isStopped: Bool { get }
  /// Calls `body` with the notes, under the instance's lock.
  func withProxies<Result>(_ body: (inout ProxyAttempt) -> Result) -> Result
  /// Keeps what the load fails with if a challenge is not answered.
  func record(refusal: TransferFailure)
  /// Starts the transfer again.
  func begin()
  func tell(_ failure: TransferFailure)
  func fail(_ error: URLError)
}

extension ProxiedProtocol {
  /// Asks for the proxies of the URL, once.
  /// - Parameter begin: called where they are known later.
  /// - Returns: whether the load goes on now; false also where it has failed, or was stopped meanwhile.
  func resolvesRoute(with proxies: ProxyResolution?, otherwise begin: @escaping @Sendable () -> Void) -> Bool {
    guard let proxies, proxies.isNeeded, let url = proxiedURL, !isStopped, route == nil else { return true }
    return proxies.resolvesRoute(for: url, take: { self.takesRoute($0) }, otherwise: begin)
  }

  /// - Returns: whether the load goes on.
  private func takesRoute(_ result: Result<ProxyRoute, URLError>) -> Bool {
    switch result {
    case .failure(let error):
      fail(error)
      return false
    case .success(let route):
      withProxies { $0.route = route }
      return !isStopped
    }
  }

  var route: ProxyRoute? { withProxies { $0.route } }

  private var proxy: ProxyServer? {
    if let route { return route.current }
    return proxiedURL.flatMap {
      sessionClient?.session.component(CurlSession.self).engine.proxy(for: $0.absoluteString)
    }
  }

  /// Begins again through the next proxy, or asks for a login, where a proxy is why the transfer failed.
  /// - Returns: whether the load continues.
  func blamesProxy(_ failure: TransferFailure) -> Bool {
    if failure.proxyFault == .unreachable { return takesNextProxy() }
    let refusal = failure.proxyResponse.flatMap { head in request.url.map { HTTPURLResponse(url: $0, head: head) } }
    guard failure.proxyFault == .login || refusal?.statusCode == 407, let proxy else { return false }
    forgetLogin(of: proxy)
    record(refusal: failure)
    let action = withProxies { $0.exchange.failed(failure, for: request, refusal: refusal, by: proxy) }
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
    let isAnswered = withProxies { attempt in
      guard let offer = attempt.exchange.answered() else { return false }
      attempt.credential = TransferCredential(
        user: credential.user ?? "", password: credential.password ?? "", schemes: offer.schemes)
      return true
    }
    guard isAnswered else { return }
    rememberLogin(credential, for: proxy)
    begin()
  }

  private func takesNextProxy() -> Bool {
    let (left, isTaken) = withProxies { attempt -> (ProxyServer?, Bool) in
      guard var route = attempt.route else { return (nil, false) }
      let left = route.current
      guard route.advance() else { return (left, false) }
      attempt.route = route
      attempt.credential = nil
      attempt.exchange.proxyChanged()
      return (left, true)
    }
    if let left { sessionClient?.session.component(CurlSession.self).proxies?.recordUnreachable(left) }
    if isTaken { begin() }
    return isTaken
  }
}
