internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Loads `http` and `https` URLs: turns a request into a transfer of libcurl, and what the transfer says into client calls.
///
/// Redirects and challenges are reported; the load decides. While a challenge waits, the body of the response that
/// brought it is held back in the connection.
///
/// Mutable state: `state`, guarded by its lock; changed on the transfer loop, and by answers to challenges from any thread.
// Safe to share: the mutable state is guarded as said above.
final class HTTPProtocol: URLProtocol, URLProtocolPausing, @unchecked Sendable {
  struct State {
    var transfer: Transfer?
    /// Is over. It is held for as long as the instance, so that it does not end on the loop's thread, which has it from another's
    /// memory.
    var ended: Transfer?
    /// Was given up for one with credentials; what it still says, until it takes note, is not looked at.
    var retired: Transfer?
    var starts = 0
    var exchange = HTTPExchange()
    @Rare var credential: TransferCredential?
    @Rare var proxyCredential: TransferCredential?
    /// Between `pauseLoading` and `resumeLoading`.
    var isPaused = false
    var isStopped = false
  }

  let state = Locked(State())

  /// The rest of a body that is still read when nobody wants it, so that its connection can be used again.
  static let drainableBytes = 64 << 10

  /// A range from which on a larger buffer is worth its memory.
  private static let longRange: Int64 = 256 << 10

  override class func canInit(with request: URLRequest) -> Bool {
    request.urlFacts.isHTTP
  }

  override class var capabilities: Capabilities {
    [.byteRanges, .upload, .acceptsRedirects, .startsWithoutBlocking]
  }

  override class var schemes: [String] { ["http", "https"] }

  // MARK: Commands of the load

  override func startLoading() {
    guard request.urlFacts.hasHost else {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .badURL, message: "The URL has no host: \(request.url?.redactedDescription ?? "none").", url: request.url))
      return
    }
    begin(isFirst: true)
  }

  override func stopLoading() {
    let (transfer, drains) = state.withLock { state in
      state.isStopped = true
      defer { state.transfer = nil }
      return (state.transfer, state.exchange.isRedirect)
    }
    transfer?.cancel(discardingUpTo: drains ? Self.drainableBytes : 0)
  }

  func pauseLoading() {
    let transfer = state.withLock { state in
      state.isPaused = true
      return state.transfer
    }
    transfer?.pause()
  }

  func resumeLoading() {
    let transfer = state.withLock { state in
      state.isPaused = false
      return state.exchange.isHolding ? nil : state.transfer
    }
    transfer?.resume()
  }

  // MARK: Transfers

  /// Starts the transfer, or starts it again: with the credentials that were given, or after a failure.
  func begin(isFirst: Bool = false, after failure: TransferFailure? = nil) {
    guard let loadClient else { return }
    let body = loadClient.urlProtocolUploadBody(self)
    guard !isFirst, case .stream = body else { return begin(body: body) }
    loadClient.urlProtocol(
      self,
      needsNewBodyStream: { stream in
        guard let stream else {
          if let failure { return self.complete(.failure(failure)) }
          loadClient.urlProtocol(
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

  private var asksForLongRange: Bool {
    guard let field = request.value(forHTTPHeaderField: "Range"),
      case .positions(let first, let last) = ByteRange(fieldValue: field)
    else { return false }
    return last - first >= Self.longRange
  }

  private func begin(body: URLUploadBody?) {
    guard let task, let loadClient else { return }
    let connections = loadClient.session.resource(CurlSession.self)
    var transferRequest = HTTPRequestEncoder.transferRequest(for: request, body: body)
    let (credential, proxyCredential, number) = state.withLock { state in
      state.starts += 1
      return (state.credential, state.proxyCredential, state.starts)
    }
    if let credential { transferRequest.credential = credential }
    if let proxyCredential { transferRequest.proxyCredential = proxyCredential }
    let needs = (loadClient as? LoadClient)?.transferNeeds
    transferRequest.wantsMetrics = needs?.wantsMetrics ?? loadClient.urlProtocolWantsMetrics(self)
    transferRequest.typeOfService = connections.typeOfService
    transferRequest.gatheringCount = needs?.gatheringCount ?? 0
    // What is taken piece by piece is large as a rule, and worth a large buffer; so is a long range.
    transferRequest.expectsLargeBody = transferRequest.gatheringCount > 0 || asksForLongRange
    let priority = needs?.priority ?? task.priority
    if priority != URLSessionTask.defaultPriority {
      // RFC 9113, section 5.3.2: weights from 1 to 256.
      transferRequest.streamWeight = max(1, Int(priority * 256))
    }
    let source = body.map { BodySource($0) }
    if let source { transferRequest.body = source.transferBody }
    loadClient.urlProtocol(self, isWaiting: true)
    let transfer = connections.engine.start(transferRequest, handler: self)
    source?.attach(to: transfer)
    let (isStopped, isPaused) = state.withLock { state in
      // The transfer may have been challenged and given up before this line was reached.
      if !state.isStopped, state.starts == number { state.transfer = transfer }
      return (state.isStopped, state.isPaused)
    }
    if isStopped {
      transfer.cancel()
    } else if isPaused {
      transfer.pause()
    }
  }
}
