internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// Loads `http` and `https` URLs: turns a request into a transfer of libcurl, and its events into client calls.
///
/// Redirects and challenges are reported; the load decides. While a challenge waits for its answer, the transfer is paused before the
/// body of its response.
///
/// Mutable state: `state`, guarded by its lock; changed on the transfer loop, and by answers to challenges from any thread.
// Safe to share: the mutable state is guarded as said above.
class HTTPProtocol: URLProtocol, @unchecked Sendable {
  struct State {
    var transfer: Transfer?
    /// The transfer that has ended: released with the instance, not on the loop's thread.
    var ended: Transfer?
    /// A transfer that was cancelled for one with credentials; its events are ignored.
    var retired: Transfer?
    var starts = 0
    /// Whether metrics are wanted ahead of the response.
    var reportsConnection = false
    var exchange = HTTPExchange()
    @Boxed var credential: TransferCredential?
    @Boxed var proxyCredential: TransferCredential?
    /// The proxies of this load, where they had to be asked for.
    @Boxed var route: ProxyRoute?
    /// Who is logged in to by Negotiate, and the token of the next request. Each needs a new one: also after a handshake that was ended.
    @Boxed var negotiateSpace: URLProtectionSpace?
    @Boxed var negotiateToken: NegotiateToken?
    /// A token that is being made.
    @Boxed var negotiation: NegotiateTokens.Request?
    /// What was answered about connections.
    @Boxed var answers: CurlSession.Answers?
    /// The body of a request, of which nothing is read while its handshake may be repeated.
    var source: BodySource?
    /// Connections are made for what follows the answer 101, by the whole way.
    var switchesProtocols = false
    /// The request was repeated, for want of an answer.
    var isRepetition = false
    var avoidsHTTP2 = false
    /// By HTTP/3 or by TCP; nil where that is no question.
    @Boxed var httpRoute: HTTPRoute?
    var isStopped = false
  }

  final let state = Locked(State())

  /// Bytes of an unwanted body that are read at most, so that its connection can be used again.
  static let drainableBytes = 64 << 10

  /// The length of a range from which on a larger buffer is used.
  private static let longRange: Int64 = 256 << 10

  override class func canInit(with request: URLRequest) -> Bool {
    request.urlFacts.isHTTP
  }

  /// The Unix socket that the requests go to; nil for the URL's host.
  var socket: UnixSocketURL? { nil }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .upload, .acceptsRedirects, .nonblocking, .connectivity, .resumableUploads, .duplex, .background,
    .retries, .schemes("http", "https"),
  ]

  override class var capabilities: Capabilities { declared }

  // MARK: Commands of the load

  override func startLoading() {
    guard request.urlFacts.hasHost else {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .badURL, message: "The URL has no host: \(request.url?.redactedDescription ?? "none").", url: request.url))
      return
    }
    if socket == nil, let error = URLError.unvalidatedName(of: request) {
      client?.urlProtocol(self, didFailWithError: error)
      return
    }
    // The gate releases this at its end.
    sessionClient?.gate.observe { self.follow($0) }
    begin(isFirst: true)
  }

  override func stopLoading() {
    let (transfer, drains, negotiation) = state.withLock { state in
      state.isStopped = true
      defer { state.transfer = nil }
      return (state.transfer, state.exchange.isRedirect, state.negotiation)
    }
    transfer?.cancel(discardingUpTo: drains ? Self.drainableBytes : 0)
    if let negotiation { NegotiateTokens.shared.cancel(negotiation) }
  }

  /// Pauses or resumes the transfer as the gate says.
  final func follow(_ isOpen: Bool) {
    let transfer = state.withLock { isOpen && $0.exchange.awaitsAnswer ? nil : $0.transfer }
    if isOpen { transfer?.resume() } else { transfer?.pause() }
  }

  // MARK: Transfers

  /// Starts the transfer, or starts it again: with the credentials that were given, or after a failure.
  final func begin(isFirst: Bool = false, after failure: TransferFailure? = nil) {
    guard let sessionClient else { return }
    let body = sessionClient.urlProtocolUploadBody(self)
    guard !isFirst, case .stream = body else { return begin(body: body) }
    sessionClient.urlProtocol(
      self,
      needsNewBodyStream: { stream in
        guard let stream else {
          if let failure { return self.complete(.failure(failure)) }
          sessionClient.urlProtocol(
            self,
            didFailWithError: URLError(
              .requestBodyStreamExhausted,
              message: "The body must be sent again with credentials, and the delegate has no new stream.",
              url: self.request.url))
          return
        }
        self.begin(body: .stream(stream, length: body?.length))
      })
  }

  /// Starts the transfer again after an aborted handshake, or a connection that was closed before: nothing of the body was read.
  final func beginAgain() {
    guard let source = state.withLock({ $0.source }), !source.hasBegun else { return begin() }
    begin(body: sessionClient?.urlProtocolUploadBody(self), source)
  }

  /// Whether the host is a known HSTS host.
  private var isOfKnownHost: Bool {
    guard let storage = sessionClient?.session.parts.policyStorage, storage.hasTransportPolicies,
      request.url?.scheme?.lowercased() == "https", let host = request.url?.host(percentEncoded: false)
    else { return false }
    return storage.requiresSecureTransport(to: host)
  }

  private var asksForLongRange: Bool {
    guard let field = request.value(forHTTPHeaderField: "Range"),
      case .positions(let first, let last) = ByteRange(fieldValue: field)
    else { return false }
    return last - first >= Self.longRange
  }

  /// The request; where it is sent again, with the cookies that the task has by then, which the answer before may have set.
  private var requestWithCookies: URLRequest {
    guard state.withLock({ $0.starts > 0 }), let current = task?.currentRequest, current.url == request.url else {
      return request
    }
    var renewed = request
    renewed.takeCookies(of: current)
    return renewed
  }

  final func begin(body: URLUploadBody?, _ known: BodySource? = nil) {
    guard let sessionClient else { return }
    let body = body.flatMap { HTTPRequestEncoder.sends($0, by: request.httpMethod ?? "GET") ? $0 : nil }
    let connections = sessionClient.session.component(CurlSession.self)
    let socket = self.socket
    if let proxies = connections.proxies, socket == nil, proxies.isNeeded,
      !resolvesRoute(with: proxies, otherwise: { self.begin(body: body, known) })
    {
      return
    }
    if let space = state.withLock({ $0.negotiateToken == nil ? $0.negotiateSpace : nil }) {
      return negotiate(in: space) { self.begin(body: body, known) }
    }
    var transferRequest = HTTPRequestEncoder.transferRequest(for: requestWithCookies, body: body)
    if let socket { transferRequest.take(socket) }
    let demand = sessionClient.urlProtocolDemand(self)
    let (credential, proxyCredential, route, token, answers, number) = state.withLock { state in
      state.starts += 1
      transferRequest.isRepetition = state.isRepetition
      transferRequest.avoidsHTTP2 = state.avoidsHTTP2
      // A full-duplex connection is usually ended by its owner, and a cancelled transfer makes no more calls.
      state.reportsConnection = demand.wantsConnectionMetrics || demand.upstream != nil
      state.switchesProtocols = demand.upstream != nil
      defer { state.negotiateToken = nil }
      return (
        state.credential, state.proxyCredential, state.route, state.negotiateToken, state.answers, state.starts
      )
    }
    // The answer to a challenge replaces what the request has brought itself, and was refused with.
    if let credential {
      transferRequest.credential = credential
      transferRequest.removeField("Authorization")
    }
    if let proxyCredential {
      transferRequest.proxyCredential = proxyCredential
      transferRequest.removeField("Proxy-Authorization")
    }
    if let route { transferRequest.take(route) }
    transferRequest.wantsMetrics = demand.wantsMetrics
    transferRequest.isSentOnce = demand.isSentOnce
    transferRequest.typeOfService = connections.typeOfService
    transferRequest.coalescingLimit = demand.preferredPieceLength
    // Bodies that are taken piece by piece are large as a rule; so are long ranges.
    transferRequest.expectsLargeBody = transferRequest.coalescingLimit > 0 || asksForLongRange
    if demand.priority != URLSessionTask.defaultPriority {
      // RFC 9113, section 5.3.2: weights from 1 to 256.
      transferRequest.streamWeight = max(1, Int(demand.priority * 256))
    }
    let login = TransferCredential.connectionLogin(credential, ofProxy: proxyCredential, token)
    if let error = chooseRoute(
      for: &transferRequest, hasLogin: login != nil || token != nil, switchesProtocols: demand.upstream != nil)
    {
      client?.urlProtocol(self, didFailWithError: error)
      return
    }
    let requirements = transportRequirements
    if demand.connectionJudge != nil || requirements != nil || login != nil {
      transferRequest.security = connections.security(
        for: transferRequest, evaluator: demand.connectionJudge, requirements: requirements,
        isKnownHost: demand.connectionJudge != nil && isOfKnownHost, login: login, answers: answers)
    }
    if let token {
      transferRequest.removeField(token.isForProxy ? "Proxy-Authorization" : "Authorization")
      if token.isForProxy {
        transferRequest.proxyFields = ["Proxy-Authorization: \(token.fieldValue)"]
      } else {
        transferRequest.headers.append(("Authorization", token.fieldValue))
      }
    }
    let source = known ?? body.map { BodySource($0) }
    if let source {
      transferRequest.body = source.transferBody
      if transferRequest.security != nil || source.isStream { state.withLock { $0.source = source } }
    }
    if let upstream = demand.upstream { transferRequest.switchProtocols(upstream) }
    sessionClient.urlProtocol(self, isWaiting: true)
    let transfer = connections.engine(for: body).start(transferRequest, handler: self)
    source?.attach(to: transfer, number: number)
    let isStopped = state.withLock { state in
      // The transfer may have been challenged and given up before this line was reached.
      if !state.isStopped, state.starts == number { state.transfer = transfer }
      return state.isStopped
    }
    if let upstream = demand.upstream {
      upstream.observe { [weak self] in self?.state.withLock { $0.transfer }?.resumeSending() }
      // An earlier transfer may have been told of the bytes that this one has to send.
      transfer.resumeSending()
    }
    if isStopped { transfer.cancel() } else { transfer.begin(under: sessionClient.gate) }
  }
}

extension TransferRequest {
  /// Sends it to a Unix socket.
  fileprivate mutating func take(_ socket: UnixSocketURL) {
    url = socket.requestURL
    unixSocket = socket.path
    proxy = .direct
    // The server knows of no other name of its own (RFC 4918, section 10.3).
    for index in headers.indices where headers[index].name.equalsIgnoringASCIICase("Destination") {
      guard let url = URL(string: headers[index].value), let target = try? UnixSocketURL(url),
        URLRequest(url: url).urlFacts.isOfUnixSocket, target.path.utf8.elementsEqual(socket.path.utf8)
      else { continue }
      headers[index].value = target.requestURL
    }
  }

  fileprivate mutating func removeField(_ name: String) {
    headers.removeAll { $0.name.equalsIgnoringASCIICase(name) }
  }
}
