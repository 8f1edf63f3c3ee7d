internal import URLLoadingBase
internal import URLLoadingCCurl

/// A multi handle of libcurl: a pool of connections, the transfers that use it or wait for it, and easy handles at rest.
// Loop thread only. An engine owns it, and the reactor's tables point to it until `close()`.
final class MultiHandle {
  let reactor: Reactor
  /// When libcurl or a transfer with a deadline wants the next turn.
  var deadline = MonotonicInstant.distantFuture
  var isArmed = false
  var isTouched = false

  var curl: UnsafeMutableRawPointer?
  var curlDeadline = MonotonicInstant.distantFuture
  /// How often in a row libcurl was due at once.
  var turnsAtOnce = 0
  let configuration: TransferEngineConfiguration
  private let proxies: ProxySelector
  private let proxyLogins: ProxyLogins
  // A load has a dozen accesses to these five, and a check of one costs it 70 instructions. Debug builds, and so the tests, check that no two
  // overlap.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  var queue: AdmissionQueue<Transfer>
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  var running: [EasyHandle] = []
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var idle: [EasyHandle] = []
  /// Transfers that coalesce bytes in this turn.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var coalescing: [EasyHandle] = []
  /// Multiplexed connections, and the batches of requests on them.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  var multiplexed: [MultiplexedConnection] = []
  /// Transfers that have a deadline of their own.
  var timed = 0
  var batch = RequestBatch()
  /// How many requests wait that only their refusal allows to repeat; see EasyHandle+Refusal.
  var followedRequests = 0
  /// How the servers of open connections were verified, where libcurl did not.
  var verifications: [PortPair: ConnectionVerification] = [:]
  /// How many requests open connections have had, where they take so many alone.
  private var uses: [PortPair: Int] = [:]
  /// See EasyHandle+DirectReceiving; by their sockets.
  var upgraded: [Int32: EasyHandle] = [:]
  private var isRetired = false
  /// Those of origins, nil where they are reached directly: to find one takes 30,000 instructions, a fifth of a small load.
  private var knownProxies: [String: ProxyServer?] = [:]
  /// Each of its connections is one transfer's: see EasyHandle+Switching and EasyHandle+Connection.
  private let isOfSingleConnections: Bool
  /// Where its connections go, all by QUIC; nil for TCP.
  let quic: QUICRoute?
  /// No request goes there any more.
  private var isAbandoned = false

  /// Connections that are kept for later use.
  private static let maximumKeptConnections = 1024
  /// How many origins' proxies are remembered.
  private static let maximumKnownProxies = 1000
  /// Idle handles that are kept; more come only from bursts.
  private static let maximumIdleHandles = 128
  /// Streams of HTTP/2 that libcurl has on one connection.
  private static let streamsPerConnection = 100
  /// Beyond this many multiplexed connections, corking their writes costs more than it gains.
  static let maximumBatchedSockets = 4

  init?(
    configuration: TransferEngineConfiguration, proxies: ProxySelector, proxyLogins: ProxyLogins = ProxyLogins(),
    reactor: Reactor, isOfSingleConnections: Bool = false, quic: QUICRoute? = nil
  ) {
    guard let curl = WakeupPair.makeMulti() else { return nil }
    self.curl = curl
    self.configuration = configuration
    self.proxies = proxies
    self.proxyLogins = proxyLogins
    self.isOfSingleConnections = isOfSingleConnections
    self.quic = quic
    queue = AdmissionQueue(
      connections: configuration.maximumConnectionsPerHost, streams: Self.streamsPerConnection,
      multiplexes: quic != nil)
    self.reactor = reactor
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_pointer(curl, CURLMOPT_SOCKETDATA, context)
    _ = ccurl_multi_set_pointer(curl, CURLMOPT_TIMERDATA, context)
    _ = ccurl_multi_set_socket(curl) { easy, descriptor, what, context, _ in
      guard let context else { return 0 }
      Unmanaged<MultiHandle>.fromOpaque(context)._withUnsafeGuaranteedRef {
        if $0.isOfSingleConnections, let easy {
          EasyHandle.interestChanged(of: easy, in: descriptor, isNothing: what == CURL_POLL_REMOVE)
        }
        $0.reactor.setInterest(what == CURL_POLL_REMOVE ? 0 : what, in: descriptor, owner: $0)
      }
      return 0
    }
    _ = ccurl_multi_set_timer(curl) { _, milliseconds, context in
      guard let context else { return 0 }
      Unmanaged<MultiHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.setCurlDeadline(milliseconds) }
      return 0
    }
    _ = ccurl_multi_set_long(curl, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost)
    _ = ccurl_multi_set_long(curl, CURLMOPT_MAXCONNECTS, Self.maximumKeptConnections)
  }

  deinit { close(because: nil) }

  // MARK: Transfers

  /// Starts a transfer, or queues it after earlier ones.
  func begin(_ transfer: Transfer) {
    if isAbandoned { return abandon(transfer) }
    let proxy = proxy(for: transfer.request)
    switch queue.arrived(transfer, at: ConnectionKey(url: transfer.request.url, proxy: proxy)) {
    case .admit(let place): begin(transfer, at: place, proxy)
    case .wait(let ticket):
      do {
        // A request that cannot be sent has nothing to wait for.
        try RequestRules.check(transfer.request)
        transfer.wait(in: self, ticket)
      } catch {
        queue.left(ticket)
        transfer.fail(TransferFailure(error))
      }
    }
  }

  /// A transfer that waited was cancelled.
  func leaveLine(_ ticket: AdmissionQueue<Transfer>.Ticket) {
    queue.left(ticket)
    closeIfDone()
  }

  private func admitWaiting() {
    while curl != nil, let next = queue.next() {
      begin(next.waiter, at: next.place, proxy(for: next.waiter.request))
    }
  }

  private func proxy(for request: borrowing TransferRequest) -> ProxyServer? {
    switch request.proxy {
    case .configured: proxyLogins.completed(configuredProxy(for: request.url))
    case .direct: nil
    case .through(let server): proxyLogins.completed(server)
    }
  }

  private func configuredProxy(for url: String) -> ProxyServer? {
    if proxies.isDirect { return nil }
    let origin = ConnectionKey(url: url, proxy: nil).name
    if let known = knownProxies[origin] { return known }
    let proxy = proxies.proxy(for: url)
    if knownProxies.count >= Self.maximumKnownProxies { knownProxies = [:] }
    knownProxies.updateValue(proxy, forKey: origin)
    return proxy
  }

  private func begin(_ transfer: Transfer, at place: AdmissionQueue<Transfer>.Place, _ proxy: ProxyServer?) {
    if isAbandoned {
      vacate(place)
      abandon(transfer)
      return closeIfDone()
    }
    guard let work = transfer.takeWork() else { return vacate(place) }
    do throws(TransferFailure) {
      guard let curl else { throw TransferFailure(.outOfMemory) }
      let easy = try handle(for: transfer, work, proxy)
      easy.attach(transfer, work)
      guard curl_multi_add_handle(curl, easy.curl) == CURLM_OK else {
        easy.detach()
        throw TransferFailure(.outOfMemory)
      }
      easy.place = place
      easy.multi = self
      if (1...Self.maximumBatchedSockets).contains(multiplexed.count) { batch.added() }
      easy.runningIndex = running.count
      running.append(consume easy)
    } catch {
      vacate(place)
      transfer.fail(error, to: work.handler)
    }
  }

  /// A handle that is configured for a transfer: a used one, where there is one.
  private func handle(
    for transfer: Transfer, _ work: borrowing Transfer.Work, _ proxy: ProxyServer?
  ) throws(TransferFailure) -> EasyHandle {
    guard let easy = idle.popLast() ?? EasyHandle(reactor: reactor) else { throw TransferFailure(.outOfMemory) }
    do {
      try easy.configure(for: transfer.request, body: work.body, configuration, proxy)
      return easy
    } catch {
      putBack(easy)
      throw TransferFailure(error)
    }
  }

  private func vacate(_ place: AdmissionQueue<Transfer>.Place) {
    if queue.ended(at: place) == .admitNext { reactor.touch(self) }
  }

  /// Keeps a handle for another transfer, if that is worth it.
  private func putBack(_ easy: EasyHandle) {
    if easy.isReusable, curl != nil, !isRetired, idle.count < Self.maximumIdleHandles { idle.append(easy) }
  }

  /// Takes a transfer out, whatever its state: a connection in the middle of a message is closed.
  private func remove(_ easy: EasyHandle) {
    guard easy.multi === self, let curl else { return }
    easy.leaveSocket()
    easy.leaveStream()
    easy.removingFromQUIC { curl_multi_remove_handle(curl, easy.curl) }
    easy.multi = nil
    if let socket = easy.run.directReceiving.socket { upgraded[socket] = nil }
    setDeadline(.distantFuture, of: easy)
    let index = easy.runningIndex
    running.swapAt(index, running.count - 1)
    running.removeLast()
    if index < running.count { running[index].runningIndex = index }
    if let place = easy.place.take() { vacate(place) }
    closeIfDone()
  }

  /// Reports the transfers that libcurl has finished, and begins with as many that waited.
  func reap() {
    while let curl {
      var result = CURLE_OK
      guard let finished = ccurl_multi_next_finished(curl, &result),
        let context = ccurl_get_private(finished)
      else { break }
      let easy = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
      if result == CURLE_OK, easy.shape?.connectsOnly == true {
        easy.connectionStands()
      } else {
        takeOut(easy, result)?.deliver()
      }
    }
    admitWaiting()
  }

  /// Takes a transfer out and reports its end.
  func finish(_ easy: EasyHandle, _ result: CURLcode) {
    takeOut(easy, result)?.deliver()
  }

  /// Has libcurl adopt a handle's connection as a new one, and perform the TLS handshake on it.
  func secure(_ easy: EasyHandle, _ connection: RawConnection, with host: TLSEndpoint) {
    guard let curl else { return }
    easy.leaveSocket()
    curl_multi_remove_handle(curl, easy.curl)
    easy.run.connection = connection
    do {
      try easy.configure(toSecure: host, configuration)
    } catch {
      easy.run.failureReason = .refusedHandshake(error.message)
    }
    guard easy.run.failureReason == nil, curl_multi_add_handle(curl, easy.curl) == CURLM_OK else {
      return finish(easy, CURLE_SSL_CONNECT_ERROR)
    }
  }

  private func takeOut(_ easy: EasyHandle, _ result: CURLcode) -> EasyHandle.Completion? {
    let completion = easy.completion(result)
    release(easy)
    if quic != nil, let failure = completion?.failure, let fault = failure.quicFault { quicFailed(fault, failure) }
    return completion
  }

  /// Takes a transfer out without a report; its handle can be used for another.
  func release(_ easy: EasyHandle) {
    remove(easy)
    easy.detach()
    putBack(easy)
  }

  // MARK: Verification

  /// A new connection's server was verified.
  func recordVerification(_ verification: ConnectionVerification, of ports: PortPair) {
    verifications[ports] = verification
  }

  /// How the server of an open connection was verified; nil if that was not recorded.
  func verification(of ports: PortPair) -> ConnectionVerification? { verifications[ports] }

  // MARK: Uses

  /// A request is about to be sent on a connection.
  /// - Returns: how many it has had with this one.
  func countUse(of ports: PortPair, isFirst: Bool) -> Int {
    let count = isFirst ? 1 : (uses[ports] ?? 0) + 1
    uses[ports] = count
    return count
  }

  /// A connection is about to be closed.
  func forget(connectionOf socket: Int32) {
    guard !verifications.isEmpty || !uses.isEmpty, let ports = PortPair(of: socket) else { return }
    verifications[ports] = nil
    uses[ports] = nil
  }

  // MARK: Events

  func socketIsReady(_ descriptor: Int32, _ ready: Int32) {
    guard let curl else { return }
    if quic != nil, ready & 1 != 0 { datagramCame(on: descriptor) }
    var count: Int32 = 0
    curl_multi_socket_action(curl, descriptor, ready, &count)
    hasActed(running: count)
    reactor.touch(self)
  }

  /// libcurl has acted on a socket or a deadline.
  /// - Parameter running: how many transfers it has left.
  @inline(never) func hasActed(running: Int32) {
    if !multiplexed.isEmpty { readOn(running: running) }
    deliverCoalesced()
  }

  /// A socket can be read, and nothing else has happened to it.
  /// - Returns: false if libcurl must read.
  func receiveDirectly(from socket: Int32) -> Bool {
    upgraded[socket]?.receiveDirectly() ?? false
  }

  /// Delivers what `easy` coalesces when libcurl is done with this turn.
  func recordCoalescing(_ easy: EasyHandle) {
    coalescing.append(easy)
  }

  private func deliverCoalesced() {
    guard !coalescing.isEmpty else { return }
    for easy in coalescing { easy.deliverCoalescedBody() }
    coalescing.removeAll(keepingCapacity: true)
  }

  // MARK: QUIC

  /// A transfer has failed for what may concern others.
  private func quicFailed(_ fault: QUICFault, _ failure: TransferFailure) {
    switch fault {
    // The server has ended one stream.
    case .pathLost where failure.curlCode == Int(CURLE_HTTP3.rawValue): break
    case .pathLost: abandonQUIC()
    // Where there is a connection, this was one more.
    case .refused, .headStartOver: if multiplexed.isEmpty { abandonQUIC() }
    case .abandoned: break
    }
  }

  /// No request uses these connections any more: those that have not begun fail, and so do those that come. A pool that is made anew tries
  /// again.
  func abandonQUIC() {
    guard quic != nil, !isAbandoned else { return }
    isAbandoned = true
    for easy in running where !easy.run.isRequestSent && easy.run.transfer != nil {
      // One of them may end others.
      guard easy.multi === self else { continue }
      easy.run.quicFault = .abandoned
      finish(easy, CURLE_COULDNT_CONNECT)
    }
    retire()
  }

  /// Fails a transfer of which nothing was sent.
  private func abandon(_ transfer: Transfer) {
    var failure = TransferFailure(.quic(.abandoned))
    failure.isRepeatable = true
    transfer.fail(failure)
  }

  // MARK: The end

  /// Whether it is of use to later transfers.
  var isUsable: Bool { !isRetired && curl != nil }

  /// Lets running transfers finish, then closes: no connection is used again.
  func retire() {
    isRetired = true
    closeIfDone()
  }

  private func closeIfDone() {
    if isRetired, isIdle { close(because: nil) }
  }

  /// True when `close` was called, or `retire` and everything has finished.
  var isClosed: Bool { curl == nil }

  /// Nothing runs or waits.
  var isIdle: Bool { running.isEmpty && queue.isEmpty }

  /// Ends all transfers, with `reason` as their error if there is one, closes all connections and frees everything.
  func close(because reason: TransferFailure.Reason?) {
    guard let curl else { return }
    var completions: [EasyHandle.Completion] = []
    for easy in running.reversed() {
      if let reason, let completion = easy.failure(reason) { completions.append(completion) }
      easy.leaveSocket()
      curl_multi_remove_handle(curl, easy.curl)
      easy.multi = nil
      easy.place = nil
      easy.detach()
    }
    // Taken before any handler is called, which might cancel another transfer.
    let waiting = queue.close().map { ($0, $0.takeWork()) }
    running.removeAll()
    upgraded.removeAll()
    coalescing.removeAll()
    idle.removeAll()
    self.curl = nil
    reactor.shutDownControlConnections(of: self)
    curl_multi_cleanup(curl)
    reactor.remove(self)
    timed = 0
    curlDeadline = .distantFuture
    deadline = .distantFuture
    for completion in completions { completion.deliver() }
    guard let reason else { return }
    for case (let transfer, let work?) in waiting {
      transfer.fail(TransferFailure(reason), to: work.handler)
    }
  }
}
