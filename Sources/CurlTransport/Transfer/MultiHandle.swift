internal import CCurl

/// A multi handle of libcurl: a pool of connections, the transfers that use it, and easy handles at rest.
// Loop thread only. An engine owns it, and the reactor's tables point to it until `close()`.
final class MultiHandle {
  let reactor: Reactor
  /// When libcurl or a draining transfer wants the next turn, on the monotonic clock in nanoseconds.
  private(set) var deadline = UInt64.max
  var isArmed = false
  var isTouched = false

  private var curl: UnsafeMutableRawPointer?
  private var curlDeadline = UInt64.max
  private var running: [EasyHandle] = []
  private var idle: [EasyHandle] = []
  private var draining = 0
  /// Transfers that put bytes together in this turn.
  private var gathering: [EasyHandle] = []
  private var isRetired = false

  /// Idle handles that are kept; more come only from bursts.
  private static let maximumIdleHandles = 128

  init?(configuration: TransferEngineConfiguration, reactor: Reactor) {
    guard let curl = curl_multi_init() else { return nil }
    self.curl = curl
    self.reactor = reactor
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_pointer(curl, CURLMOPT_SOCKETDATA, context)
    _ = ccurl_multi_set_pointer(curl, CURLMOPT_TIMERDATA, context)
    _ = ccurl_multi_set_socket(curl) { _, descriptor, what, context, _ in
      guard let context else { return 0 }
      Unmanaged<MultiHandle>.fromOpaque(context)._withUnsafeGuaranteedRef {
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
    _ = ccurl_multi_set_long(curl, CURLMOPT_MAXCONNECTS, configuration.maximumKeptConnections)
  }

  deinit { close(because: nil) }

  // MARK: Transfers

  /// A handle to configure and to `add`.
  func takeHandle() -> EasyHandle? {
    idle.popLast() ?? EasyHandle(reactor: reactor)
  }

  /// Takes a handle that was not added.
  func putBack(_ easy: EasyHandle) {
    if easy.isReusable, curl != nil, !isRetired, idle.count < Self.maximumIdleHandles { idle.append(easy) }
  }

  /// Starts the transfer that `easy` is configured for. False when libcurl refuses.
  func add(_ easy: EasyHandle) -> Bool {
    guard let curl, curl_multi_add_handle(curl, easy.curl) == CURLM_OK else { return false }
    easy.runningIndex = running.count
    easy.multi = self
    running.append(easy)
    return true
  }

  /// Takes a transfer out, whatever its state: a connection in the middle of a message is closed.
  private func remove(_ easy: EasyHandle) {
    guard easy.multi === self, let curl else { return }
    curl_multi_remove_handle(curl, easy.curl)
    easy.multi = nil
    if easy.drainDeadline != .max {
      easy.drainDeadline = .max
      draining -= 1
    }
    let index = easy.runningIndex
    running.swapAt(index, running.count - 1)
    running.removeLast()
    if index < running.count { running[index].runningIndex = index }
    if isRetired, running.isEmpty { close(because: nil) }
  }

  /// Gives a transfer that nobody listens to until `deadline` to finish.
  func drain(_ easy: EasyHandle, until deadline: UInt64) {
    draining += 1
    easy.drainDeadline = deadline
    updateDeadline()
  }

  /// Reports the transfers that libcurl has finished.
  func reap() {
    while let curl {
      var result = CURLE_OK
      guard let finished = ccurl_multi_next_finished(curl, &result),
        let context = ccurl_get_private(finished)
      else { return }
      finish(Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue(), result)
    }
  }

  /// Takes a transfer out and reports its end.
  func finish(_ easy: EasyHandle, _ result: CURLcode) {
    let completion = easy.completion(result)
    release(easy)
    completion?.deliver()
  }

  /// Takes a transfer out without a report; its handle can be used for another.
  func release(_ easy: EasyHandle) {
    remove(easy)
    easy.detach()
    putBack(easy)
  }

  // MARK: Events

  func socketIsReady(_ descriptor: Int32, _ ready: Int32) {
    guard let curl else { return }
    var count: Int32 = 0
    curl_multi_socket_action(curl, descriptor, ready, &count)
    deliverGathered()
    reactor.touch(self)
  }

  func deadlineIsReached(_ now: UInt64) {
    if draining > 0 {
      for easy in running where easy.drainDeadline <= now { release(easy) }
    }
    if let curl, curlDeadline <= now {
      curlDeadline = .max
      var count: Int32 = 0
      curl_multi_socket_action(curl, CURL_SOCKET_TIMEOUT, 0, &count)
      deliverGathered()
      reactor.touch(self)
    }
    updateDeadline()
  }

  /// Has what `easy` puts together delivered when libcurl is done with this turn.
  func noteGathering(_ easy: EasyHandle) {
    gathering.append(easy)
  }

  private func deliverGathered() {
    guard !gathering.isEmpty else { return }
    for easy in gathering { easy.deliverGatheredBody() }
    gathering.removeAll(keepingCapacity: true)
  }

  private func setCurlDeadline(_ milliseconds: Int) {
    switch milliseconds {
    case ..<0: curlDeadline = .max
    case 0: curlDeadline = 0
    default: curlDeadline = Reactor.now() + UInt64(milliseconds) * 1_000_000
    }
    updateDeadline()
  }

  private func updateDeadline() {
    deadline = curlDeadline
    if draining > 0 {
      for easy in running { deadline = min(deadline, easy.drainDeadline) }
    }
    if deadline != .max { reactor.arm(self) }
  }

  // MARK: The end

  /// Lets running transfers finish, then closes: no connection is used again.
  func retire() {
    isRetired = true
    if running.isEmpty { close(because: nil) }
  }

  /// True when `close` was called, or `retire` and everything has finished.
  var isClosed: Bool { curl == nil }

  /// Ends all transfers, with `reason` where somebody listens, closes all connections and frees everything.
  func close(because reason: TransferFailure.Reason?) {
    guard let curl else { return }
    var completions: [EasyHandle.Completion] = []
    for easy in running.reversed() {
      if let reason, let completion = easy.failure(reason) { completions.append(completion) }
      curl_multi_remove_handle(curl, easy.curl)
      easy.multi = nil
      easy.detach()
    }
    running.removeAll()
    gathering.removeAll()
    idle.removeAll()
    self.curl = nil
    reactor.shutDownControlConnections(of: self)
    curl_multi_cleanup(curl)
    reactor.remove(self)
    draining = 0
    curlDeadline = .max
    deadline = .max
    for completion in completions { completion.deliver() }
  }
}
