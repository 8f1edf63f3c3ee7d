internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// A load that goes directly (``DirectLoad``): its beginning, its events and its end.
extension Load: DirectLoadClient {
  /// The number of the attempt that a direct load is: the first.
  static let directAttempt = 1

  // MARK: Beginning

  /// Begins the load directly, where nothing is known that takes more.
  /// - Parameter waiter: resumed at the end; nil where a handler is called.
  /// - Returns: false where it has begun already, or goes the whole way.
  func beginDirectly(_ task: URLSessionTask, waking waiter: UnsafeContinuation<Void, Never>?) -> Bool {
    guard let lane, !plan.wantsInfo, lane.admits(plan.request),
      waiter != nil || storage.withLock({ $0.whole == nil && !$0.direct.hasBegun })
    else { return false }
    var request = plan.request
    // As instances get it.
    if case .data(let body) = plan.upload { request.setStreamableBody(body) }
    session.addHeaders(to: &request)
    guard !lane.isForCache(request),
      let chosen = lane.protocolClass(for: task, request, prepare: { prepareDirectly(request) })
    else { return false }
    request = chosen.canonicalRequest(for: request)
    // The response is judged by the method of the task.
    guard request.httpMethod == plan.request.httpMethod else { return false }
    guard let source = chosen.directLoad(of: request, in: session) else { return false }
    let now = MonotonicInstant.now
    var deadline: MonotonicInstant?
    switch DirectLoad.deadline(Self.limits(of: plan, session: session), from: now, progress: now, at: now) {
    case .nothing: break
    // A limit of zero length.
    case .passed: return false
    case .wait(let instant): deadline = instant
    }
    let start = DirectLoad.Start(protocolClass: chosen, source: source, task: task, time: now)
    // One step with the session's: a task that has ended meanwhile is not registered again.
    let begins = storage.withLock { storage in
      storage.whereDirect { direct in
        !direct.hasBegun && session.didResume(task)
          && direct.begin(request, start, waiter: waiter, deadline: deadline)
      } == true
    }
    guard begins else { return false }
    if let deadline { session.deadlines.look(by: deadline) }
    source.start(for: URLDirectReceiver(self))
    return true
  }

  private func prepareDirectly(_ request: URLRequest) -> Bool {
    storage.withLock { storage in storage.whereDirect { $0.prepare(request) } == true }
  }

  // MARK: Events

  func receiveDirectly(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy) {
    let http = response as? HTTPURLResponse
    if let lane, http.map({ lane.needsStage($0, to: plan.request.httpMethod) }) ?? lane.needsStage(policy) {
      askCacheLater()
    } else if whereDirect({ $0.responded(response, at: .now) }) {
      // Others are not believed, and most responses are theirs.
      if let http, http.speaker == .verifiedOrigin { recordTransportSecurity(of: http) }
      return
    }
    receive(response, storagePolicy: policy, attempt: Self.directAttempt)
  }

  func sendDirectly(total: Int64) {
    if whereDirect({ $0.sent(total, at: .now) }) { return }
    sentBody(total: total, attempt: Self.directAttempt)
  }

  func receiveDirectly(_ bytes: UnsafeRawBufferPointer) {
    if whereDirect({ $0.received(bytes, at: .now) }) { return }
    receive(bytes, attempt: Self.directAttempt)
  }

  func receiveDirectly(_ data: Data) {
    if whereDirect({ $0.received(data, at: .now) }) { return }
    receive(data, attempt: Self.directAttempt)
  }

  /// - Returns: whether the event had its effect here.
  private func whereDirect(_ event: (inout DirectLoad) -> DirectLoad.EventAction) -> Bool {
    storage.withLock { storage in storage.whereDirect(event) == .done }
  }

  func waitsDirectly(_ waits: Bool) {
    let now = MonotonicInstant.now
    let isDone = storage.withLock { storage in
      storage.whereDirect { direct -> Bool? in
        direct.waits(waits, at: now)
        return waits || direct.isLookedAt(in: Self.limits(of: plan, session: session), at: now)
      }
    }
    switch isDone {
    case true?: break
    case false?: lookAtDeadline(now)
    case nil: waiting(waits, attempt: Self.directAttempt)
    }
  }

  func finishDirectly() {
    let action = storage.withLock { storage in
      storage.whereDirect { direct in
        direct.finished { Delivery(executor: .queue { [session] in session.delegateQueue }) }
      }
    }
    switch action {
    case .resume(let waiter): EventLoop.resume(waiter)
    case .deliver(let delivery): delivery.addLast { self.completeHandlerDirectly() }
    case .promote, nil: receive(.finished, attempt: Self.directAttempt)
    }
  }

  func failDirectly(_ error: any Error) { receive(.failed(error), attempt: Self.directAttempt) }

  // MARK: The end

  /// What an `async` function gets of a load that has ended so; nil where the whole load has the outcome.
  func completeDirectly() -> LoadPlan.Outcome? {
    guard let completion = takeCompletion() else { return nil }
    session.didEnd(completion.task)
    return completion.outcome()
  }

  private func completeHandlerDirectly() {
    guard let completion = takeCompletion() else {
      _ = complete()
      return
    }
    if case .handler(let handler) = plan.owner { handler(.data(completion.body), completion.response, nil) }
    session.didEnd(completion.task)
  }

  private func takeCompletion() -> DirectLoad.Completion? {
    storage.withLock { storage in storage.whereDirect { $0.complete() } }
  }

  // MARK: Time

  /// - Returns: nil where the whole load has the deadlines.
  func checkDeadlineDirectly(at now: MonotonicInstant) -> DirectLoad.DeadlineAction? {
    storage.withLock { storage in
      storage.whereDirect { direct in
        guard direct.hasBegun else { return DirectLoad.DeadlineAction.nothing }
        let action = direct.checkDeadline(Self.limits(of: plan, session: session), at: now)
        if case .wait(let instant) = action {
          direct.announcedDeadline = instant
        } else {
          direct.announcedDeadline = nil
        }
        return action
      }
    }
  }

  // MARK: What it looks like from outside

  var currentRequest: URLRequest? {
    storage.withLock { storage in
      storage.whole.map { $0.withState { $0.attempt.request } } ?? storage.direct.request ?? plan.request
    }
  }

  var response: URLResponse? {
    storage.withLock { storage in storage.whole.map { $0.withState { $0.response } } ?? storage.direct.response }
  }

  var error: (any Error)? { storage.withLock { storage in storage.whole?.withState { $0.ending.error } } }

  var state: URLSessionTask.State {
    storage.withLock { storage in storage.whole?.withState { $0.machine.state } ?? storage.direct.state }
  }
}
