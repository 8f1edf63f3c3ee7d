internal import URLLoadingBase

/// A direct load (``DirectLoad``) goes on as a whole one: when somebody asks for what only that has, and when a response is for one of its
/// stages. The machine of the whole load is fed what has happened.
extension Load {
  /// Makes the state of a load that was not resumed that of one that went directly so far. Under the load's lock.
  func promote(_ direct: inout DirectLoad, to state: inout State) {
    let attempt = Self.directAttempt
    guard direct.hasBegun else {
      if let request = direct.request { state.attempt.request = request }
      return
    }
    if let waiter = direct.waiter { _ = state.ending.wait(waiter) }
    if direct.isCompleted { state.attempt.request = direct.request }
    if let start = direct.start {
      _ = state.machine.resume(at: start.time)
      state.task = start.task
      state.attempt = Attempt(request: direct.request)
      state.attempt.protocolClass = start.protocolClass
      prepareDelivery(&state)
      state.attempt.driver = ProtocolDriver(start.source)
    } else {
      _ = state.machine.resume(at: direct.lastProgress)
    }
    state.announcedDeadline = direct.announcedDeadline
    state.counts.sent(total: direct.sent)
    state.machine.waiting(direct.isWaiting, attempt: attempt, at: direct.lastProgress)
    guard let response = direct.response else { return }
    _ = state.machine.responded(attempt: attempt, at: direct.lastProgress)
    state.response = response
    let length = response.expectedContentLength
    state.counts.expects(length < 0 ? NSURLSessionTransferSizeUnknown : length)
    if direct.received > 0 {
      _ = state.machine.receivedData(0, attempt: attempt, at: direct.lastProgress)
      state.counts.received(total: direct.received)
    }
    guard !direct.isCompleted else {
      _ = state.machine.finished(attempt: attempt)
      _ = state.machine.end()
      return
    }
    state.sink = BufferSink(direct.takeBody())
    if direct.hasFinished {
      _ = state.machine.finished(attempt: attempt)
      if let delivery = direct.delivery { state.delivery = delivery } else { _ = state.ending.takeWaiter() }
    }
  }

  /// The cache gets the response that comes: it had nothing stored when the load began.
  func askCacheLater() {
    guard lane?.cache != nil else { return }
    update { state in
      guard state.machine.attempt == Self.directAttempt, state.attempt.cache.caching == nil,
        let request = state.attempt.request
      else { return }
      // The age of a response counts from the request (RFC 9111, section 4.2.3).
      let elapsed = state.machine.elapsed(at: .now)
      state.attempt.cache.begin(AttemptCaching(request, requestDate: Date(timeIntervalSinceNow: -elapsed)))
    }
  }

  /// An instance that takes a direct load's place, see ``URLDirectReceiver/makeInstance()``.
  func makeInstanceOfDirectLoad() -> URLProtocol? {
    let (task, driver, chosen) = update { state in
      guard state.machine.attempt == Self.directAttempt, state.ending.error == nil,
        state.machine.state == .running || state.machine.state == .suspended
      else { return (nil, nil, nil) as (URLSessionTask?, ProtocolDriver?, URLProtocol.Type?) }
      return (state.task, state.attempt.driver, state.attempt.protocolClass)
    }
    guard let task, let driver, let chosen else { return nil }
    askCacheLater()
    let client = LoadClient(load: self, attempt: Self.directAttempt, gate: driver.gate, mayWait: false)
    let instance = chosen.init(task: task, cachedResponse: nil, client: client)
    if instance.task == nil { instance.task = task }
    return instance
  }
}
