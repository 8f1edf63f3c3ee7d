internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The connection of a stream task: `tcp://host:port`, directly or through the session's proxies.
///
/// What the task writes is pulled from its upstream, and what the peer sends is passed on as the body. No other task may load such a URL.
///
/// Mutable state: `state`, guarded by its lock.
// Safe to share: the mutable state is guarded as said above.
final class TCPProtocol: URLProtocol, @unchecked Sendable {
  struct State {
    var transfer: Transfer?
    var proxies = ProxyAttempt()
    var refusal: TransferFailure?
    /// What the delegate is asked about the peer.
    var question: ConnectionQuestion?
    /// The connection was established: it is not replaced by another, which would send protected data as plaintext.
    var hasConnected = false
    var isStopped = false
  }

  let state = Locked(State())

  override class func canInit(with task: URLSessionTask) -> Bool {
    task is URLSessionStreamTask && task.currentRequest?.url?.scheme == "tcp"
  }

  override class var capabilities: Capabilities { [.duplex, .nonblocking, .connectivity] }

  override func startLoading() {
    sessionClient?.gate.observe { [weak self] isOpen in
      let transfer = self?.state.withLock { $0.transfer }
      if isOpen { transfer?.resume() } else { transfer?.pause() }
    }
    begin()
  }

  override func stopLoading() {
    let transfer = state.withLock { state in
      state.isStopped = true
      return state.transfer.take()
    }
    transfer?.cancel()
  }

  func fail(_ error: URLError) { client?.urlProtocol(self, didFailWithError: error) }

  func begin() {
    guard let url = proxiedURL, url.port != nil, let sessionClient,
      let upstream = sessionClient.urlProtocolDemand(self).upstream
    else { return fail(URLError(.badURL, message: "A stream task needs a host and a port.", url: request.url)) }
    let connections = sessionClient.session.component(CurlSession.self)
    guard resolvesRoute(with: connections.proxies, otherwise: { self.begin() }) else { return }
    // libcurl gets a URL of HTTP, of which it makes the connection alone: with one of HTTPS, it would begin with TLS.
    var transferRequest = TransferRequest(url: "http" + url.absoluteString.dropFirst(5))
    transferRequest.connect(upstream)
    transferRequest.typeOfService = connections.typeOfService
    if let route {
      transferRequest.take(route)
    } else {
      transferRequest.proxy = connections.engine.proxy(for: url.absoluteString).map { .through($0) } ?? .direct
    }
    transferRequest.laterSecurity = laterSecurity(
      in: connections, evaluator: sessionClient.urlProtocolDemand(self).connectionJudge, host: url)
    transferRequest.proxyCredential = withProxies { $0.credential }
    sessionClient.urlProtocol(self, isWaiting: true)
    let transfer = connections.engine.start(transferRequest, handler: self)
    upstream.observe { transfer.resumeSending() }
    let isStopped = state.withLock { state in
      if !state.isStopped { state.transfer = transfer }
      return state.isStopped
    }
    if isStopped { transfer.cancel() } else { transfer.begin(under: sessionClient.gate) }
  }
}
