internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// How an attempt is opened: its request passes the stages (`LoadStages.swift`), and an instance starts.
extension Load {
  enum AttemptReason: Equatable {
    /// The task was resumed.
    case first
    /// A redirect is followed; trusted where the delegate named another URL than the server.
    case redirect(isTrusted: Bool)
    /// A resumed download starts over, and asks for the whole.
    case restart
    /// The attempt before has failed, or its response was dropped: the same is tried again.
    case reconnection
    /// An upload is resumed.
    case resumption
  }

  /// Begins an attempt. User-provided classes may take time to say whether they load the request, or which cookies it gets: after a redirect
  /// they are asked on a thread of a pool, since this may be the transfer loop.
  /// - Parameter earlier: the attempt before, where the load's is another one by now.
  func open(
    _ request: consuming URLRequest, for reason: AttemptReason = .first, mayBlock: Bool = false,
    after earlier: EarlierAttempt? = nil
  ) {
    if plan.background != nil { return openInService(request) }
    if reason != .first, !mayBlock, asksUserCode {
      return BlockingPool.protocols.run { [request] in self.open(request, for: reason, mayBlock: true) }
    }
    open(takeThroughStages(request, for: reason, after: earlier))
  }

  private var asksUserCode: Bool {
    session.parts.hasSubclassedCookieStorage || session.values.urlCache?.isSubclassed == true
      || !ProtocolRegistry.shared.custom(of: session.values.protocolClasses).isEmpty
  }

  /// The class that loads a request; nil when there is none that may, and the load has failed.
  func chooseClass(
    for task: URLSessionTask, _ request: URLRequest, after previous: EarlierAttempt, reason: AttemptReason
  ) -> URLProtocol.Type? {
    // It was chosen before, and asked whether a redirect may lead to it.
    if reason == .reconnection, let chosen = previous.protocolClass { return chosen }
    let (configured, origin) = (session.values.protocolClasses, reason == .first ? nil : previous.url)
    guard let chosen = ProtocolRegistry.shared.protocolClass(for: task, loading: request, configured: configured)
    else {
      abort(ProtocolRegistry.shared.unsupported(request.url, configured: configured, redirectedFrom: origin))
      return nil
    }
    if reason == .redirect(isTrusted: false), previous.protocolClass == UnixSocketProtocol.self,
      !UnixSocketURL.isOneSocket(origin, request.url)
    {
      abort(RefusedRequest(redirectFromSocket: origin, to: request.url).error(request.url))
      return nil
    }
    if reason == .redirect(isTrusted: false), let before = previous.protocolClass, chosen != before,
      !chosen.capabilities.contains(.acceptsRedirects)
    {
      abort(RefusedRequest(redirectFrom: origin, to: request.url).error(request.url))
      return nil
    }
    if plan.kind.isDuplex, !chosen.capabilities.contains(.duplex) {
      abort(ProtocolRegistry.shared.lacksDuplex(request.url, configured: configured))
      return nil
    }
    if plan.kind == .listing, !chosen.capabilities.contains(.listing) {
      abort(ProtocolRegistry.shared.unlistable(request.url, configured: configured))
      return nil
    }
    return chosen
  }

  /// Whether the class gets the request, by the session's transport security and by the methods that the class takes; else the load has
  /// failed.
  func mayLoad(_ request: inout URLRequest, _ body: UploadSource, class chosen: URLProtocol.Type) -> Bool {
    let error =
      violation(of: request, class: chosen) ?? settleMethod(of: &request, body, class: chosen)?.error(request.url)
    guard let error else { return true }
    abort(error)
    return false
  }
}
