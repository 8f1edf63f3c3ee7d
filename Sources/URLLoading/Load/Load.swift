internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Carries a task out: feeds events to the state machine and does what it answers.
///
/// Events come from the user (any thread), from the protocol instance (any thread, one after another), from the timer and from the
/// consumer. Each is decided under the lock and carried out after it, by parts that keep their own order: the attempt's `driver` for calls
/// to the protocol instance, `delivery` for calls to the task's owner, `sink` for bytes. They ignore what comes after their end.
///
/// A load that needs none of its stages has no `State`, but the little that a ``DirectLoad`` is. ``update(_:)`` and ``read(_:)`` make the whole
/// state of it, so that nobody else has to know.
///
/// Mutable state: `storage`, guarded by its lock.
final class Load: BufferedSource, Sendable {
  /// What is under the lock.
  struct Storage: Sendable {
    var direct = DirectLoad()
    /// Nil as long as the load goes directly, see ``DirectLoad``.
    var whole: WholeState?

    /// Uses what a direct load is; nil where the load is more than that.
    mutating func whereDirect<Result>(_ body: (inout DirectLoad) -> Result?) -> Result? {
      whole == nil ? body(&direct) : nil
    }
  }

  // Safe to share: reached under the load's lock, and freed with the load, when nobody else has it.
  /// The whole state, in one place: a class would count a reference at each of twenty accesses, and its property would be copied for a reader.
  struct WholeState: @unchecked Sendable {
    private let place: UnsafeMutablePointer<State>

    init(_ state: consuming State) {
      place = .allocate(capacity: 1)
      place.initialize(to: state)
    }

    func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result { body(&place.pointee) }

    func free() {
      place.deinitialize(count: 1)
      place.deallocate()
    }
  }

  struct State: Sendable {
    var machine: LoadMachine
    var attempt: Attempt
    var ending = LoadEnding()
    fileprivate var driverToRun: ProtocolDriver?
    /// When the session's timer looks at this load at the latest; nil when it need not.
    var announcedDeadline: MonotonicInstant?

    // The stages of the whole load; those of one hop are the attempt's.
    var uploads: UploadStage
    var resumption: ResumptionStage
    /// Nil where nothing is tried again.
    @Boxed var retries: RetryStage?
    var metrics = MetricsCollector()
    /// Nil without a listener.
    let events: LoadEvents?

    // The owner, and what it gets.
    var task: URLSessionTask?
    var ownDelegate: (any URLSessionTaskDelegate)?
    var delegates = SessionDelegates.none
    var delivery: Delivery?
    var response: URLResponse?
    var sink: (any BodySink)?
    /// Where the entries of a directory go, in the place of `sink`.
    var entries: EntrySink?
    /// Takes the body apart; nil for all but bodies of parts that replace each other.
    var parts: ReplacedParts?
    /// Nil where there is no limit.
    @Boxed var rate: ReceiveRate?
    var counts = ByteCounts()
    var progress: Progress?

    // What the owner says of the task.
    var priority: Float = URLSessionTask.defaultPriority
    var description: String?
    @Boxed var hints: TaskHints?

    /// Whether there is a limit, without reading it.
    var hasRate: Bool { _rate.isPresent }

    /// Closes or opens the gate; its waiters are resumed after the lock is released.
    mutating func apply(_ action: LoadMachine.FlowAction) {
      guard action != .nothing, let driver = attempt.driver else { return }
      driver.gate.set(isOpen: action == .unpause)
      driverToRun = driver
    }

    /// Starts an instance after the lock is released; none where a cancellation or another attempt came meanwhile.
    mutating func begin(_ start: borrowing AttemptStart) {
      guard machine.attempt == start.prepared.attempt,
        machine.state == .running || machine.state == .suspended, ending.error == nil
      else { return }
      attempt.protocolClass = start.prepared.protocolClass
      attempt.rangeOffset = start.prepared.rangeOffset
      attempt.cache.begin(isStored: start.isStored)
      metrics.beginTransaction(start.prepared.request, isStored: start.isStored)
      attempt.driver = start.driver
      driverToRun = start.driver
      if machine.isPaused { start.driver.gate.set(isOpen: false) }
    }

    /// Stops the instance after the lock is released, and drops its retained events.
    mutating func stopInstance() {
      attempt.retained = []
      endTransaction()
      if attempt.network?.isUnderWay == true { attempt.network?.end() }
      guard let driver = attempt.driver else { return }
      driver.stop()
      driverToRun = driver
    }

    /// A request and its response are over.
    mutating func endTransaction() {
      if let ended = metrics.endTransaction() { events?.record(.finishedTransaction(ended)) }
    }
  }

  let session: URLSession
  let plan: LoadPlan
  /// Nil without a listener.
  let events: LoadEvents?
  let storage: Locked<Storage>
  /// Where such a task of such a session may go directly; nil where it may not.
  let lane: DirectLane?

  init(session: URLSession, plan: consuming LoadPlan) {
    self.session = session
    events = session.values.sessionEventListener?.listener(for: plan.request).map { LoadEvents($0) }
    lane = events != nil ? nil : session.parts.directLane.flatMap { $0.admits(plan) ? $0 : nil }
    let whole = lane != nil ? nil : WholeState(Self.initialState(of: plan, session: session, events))
    storage = Locked(Storage(whole: whole), rank: .load)
    self.plan = plan
  }

  deinit {
    let whole = storage.withLock { storage in
      storage.direct.release()
      return storage.whole
    }
    // What it has may be the program's: it is not released under the lock.
    whole?.free()
  }

  /// A number for the task of the load.
  func taskIdentifier() -> Int { plan.background?.identifier ?? session.nextTaskIdentifier }

  /// The state of a load that was not resumed.
  static func initialState(of plan: LoadPlan, session: URLSession, _ events: LoadEvents?) -> State {
    State(
      machine: LoadMachine(
        limits: Self.limits(of: plan, session: session), expectsEntries: plan.kind == .listing,
        waitsForConnectivity: plan.waitsForConnectivity && session.values.waitsForConnectivity),
      attempt: Attempt(request: plan.request), uploads: UploadStage(plan.upload),
      resumption: ResumptionStage(plan.resumption), retries: retryStage(for: plan, session: session),
      events: events)
  }

  /// The load of a task that no session made.
  static func detached() -> Load {
    let load = Load(session: .shared, plan: LoadPlan(request: .placeholder, kind: .data, owner: .detached))
    load.update { $0.attempt.request = nil }
    return load
  }

  var isDetached: Bool { if case .detached = plan.owner { true } else { false } }

  /// A request's own interval holds, be it longer or shorter than the session's. Zero means unset.
  static func limits(of plan: LoadPlan, session: URLSession) -> LoadMachine.Limits {
    // The transfer service has the clocks of its tasks.
    guard plan.background == nil else { return LoadMachine.Limits() }
    let request = plan.request
    var limits = session.limits
    if let own = request.explicitTimeoutInterval, own > 0 {
      limits.idle = Duration(timeout: own)
    }
    return limits
  }

  /// Changes the state, then carries out the calls to the instance and delivers the recorded events to the listener.
  @discardableResult
  func update<Result>(_ body: (inout State) -> sending Result) -> sending Result {
    let (result, driver) = storage.withLock { storage in
      whole(&storage).withState { state in
        let result = body(&state)
        let driver = state.driverToRun.take()
        events?.recordFlow(isSuspended: state.machine.isSuspended, isHeldBack: state.machine.waitsForConsumer)
        return (result, driver)
      }
    }
    driver?.run()
    events?.flush()
    return result
  }

  /// Looks at the state.
  func read<Result>(_ body: (borrowing State) -> sending Result) -> sending Result {
    storage.withLock { storage in whole(&storage).withState { state in body(state) } }
  }

  /// The whole state, which is made of a direct load where there is none.
  private func whole(_ storage: inout Storage) -> WholeState {
    if let whole = storage.whole { return whole }
    let whole = WholeState(Self.initialState(of: plan, session: session, events))
    whole.withState { promote(&storage.direct, to: &$0) }
    storage = Storage(whole: whole)
    return whole
  }

  // MARK: What the task's owner sets

  /// Sets the task's own delegate; ignored once the task was resumed.
  func setDelegate(_ delegate: (any URLSessionTaskDelegate)?) {
    update { if $0.machine.isUnstarted { $0.ownDelegate = delegate } }
  }

  func setDescription(_ description: String?) {
    update { $0.description = description }
    hintsChanged()
  }

  func setPriority(_ priority: Float) {
    update { $0.priority = min(1, max(0, priority)) }
    hintsChanged()
  }

  /// Sets where the body of a stream goes, before the task is resumed.
  func setSink(_ sink: any BodySink) { update { $0.sink = sink } }

  /// Sets where the entries of a directory go, before the task is resumed.
  func setSink(_ sink: EntrySink) { update { $0.entries = sink } }

  // MARK: Commands of the user

  func resume(_ task: URLSessionTask) {
    guard !isDetached, !beginDirectly(task, waking: nil) else { return }
    let now = MonotonicInstant.now
    let (action, immediateError, delivery) = update { state -> (LoadMachine.ResumeAction, URLError?, Delivery?) in
      let action = state.machine.resume(at: now)
      switch action {
      case .open: adopt(task, &state, at: now)
      case .unpause: state.apply(.unpause)
      case .reconnect, .nothing: break
      }
      return (action, state.ending.immediateError, state.delivery)
    }
    switch action {
    case .open:
      if let immediateError {
        abort(immediateError)
      } else if plan.isUploadResumption, let resumption = plan.uploadResumption {
        resumeUpload(resumption)
      } else {
        session.parts.retries?.loadBegins()
        open(plan.request)
      }
      // Making the queue is expensive, and the load is under way by now.
      delivery?.warmUp()
    case .unpause:
      plan.background?.setResumed(true)
      lookAtDeadline(now)
    case .reconnect: reconnect(at: now)
    case .nothing: break
    }
    guard action != .open else { return }
    lookAtRetry()
    // What is to be sent has waited as well.
    duplex?.upstream.announce()
  }

  func suspend() {
    guard !isDetached else { return }
    let isSuspended = update { state in
      state.apply(state.machine.suspend())
      return state.machine.isSuspended
    }
    if isSuspended { plan.background?.setResumed(false) }
  }

  /// - Parameter handler: gets the resume data of a download or an upload, or nil.
  func cancel(
    _ task: URLSessionTask, because error: URLError? = nil,
    producingResumeData handler: (@Sendable (Data?) -> Void)? = nil
  ) {
    if let handler, let background = plan.background, !isDetached, !read({ $0.machine.isUnstarted }) {
      return cancel(task, background, producingResumeData: handler)
    }
    let error = error ?? failure(.cancelled, "The task was cancelled.")
    let action = update { state -> LoadMachine.EndAction in
      guard !isDetached else { return .ignore }
      let isFirst = state.machine.isUnstarted
      let action = state.machine.cancel()
      guard action == .end else { return action }
      state.ending.resumeDataHandler = handler
      if isFirst { adopt(task, &state, at: nil) }
      return action
    }
    guard action == .end else {
      handler?(nil)
      return
    }
    end(error, dropsWaiting: true)
  }

  // MARK: Beginning

  /// Sets up what a task needs from its first resume to its end. One step with the machine's transition: an end that
  /// comes at once from another thread finds all of it.
  private func adopt(_ task: URLSessionTask, _ state: inout State, at now: MonotonicInstant?) {
    state.task = task
    events?.begin(task)
    state.delegates = session.delegates.overridden(by: state.ownDelegate)
    state.ending.immediateError = session.didResume(task) ? plan.immediateError : session.invalidity(for: plan.request)
    prepareDelivery(&state)
    if let limit = session.parts.receiveRate { state.rate = ReceiveRate(bytesPerSecond: limit) }
    state.metrics.begin(isWanted: state.delegates.task != nil || events != nil)
    if let now, let deadline = Self.deadline(state.machine.checkDeadline(at: now)) {
      state.announcedDeadline = deadline
      session.deadlines.look(by: deadline)
    }
  }

  /// Sets up the delivery to the owner, and where the body goes.
  func prepareDelivery(_ state: inout State) {
    let hasDelegate = state.delegates.session != nil || state.delegates.task != nil
    switch plan.owner {
    // A waiting function only needs the end, and no delivery.
    case .waiter where !hasDelegate: break
    case .reader where !hasDelegate: state.delivery = Delivery(executor: .inline)
    default: state.delivery = Delivery(executor: .queue { [session] in session.delegateQueue })
    }
    switch (plan.kind, plan.owner, state.delivery) {
    case (.download, _, _): state.sink = FileSink(in: session.values.downloadDirectory, label: plan.fileLabel)
    case (.bytes, _, _), (.listing, _, _), (.webSocket, _, _), (.stream, _, _): break
    case (_, .delegate, let delivery?):
      state.sink = DelegateSink(delivery: delivery, isIncremental: isIncremental(state))
      delivery.setDataHandler { [weak self] data in self?.deliver(data) }
    default: state.sink = BufferSink()
    }
  }

  private func deliver(_ data: Data) {
    if let parts = read({ $0.parts }) { return deliver(data, apartBy: parts) }
    tellDelegate(data)
    consumed(data.count)
  }

  /// Gives the delegate bytes of the body.
  func tellDelegate(_ data: Data) {
    let (delegates, task) = read { ($0.delegates, $0.task as? URLSessionDataTask) }
    if let task { delegates.data?.tell(.data) { $0.urlSession(session, dataTask: task, didReceive: data) } }
  }

  /// The consumer took buffered bytes.
  func consumed(_ count: Int) {
    let now = MonotonicInstant.now
    let action = update { state in
      let action = state.machine.consumed(count, at: now)
      state.apply(action)
      return action
    }
    if action == .unpause { lookAtDeadline(now) }
  }

  // MARK: Time

  private static func deadline(_ action: LoadMachine.DeadlineAction) -> MonotonicInstant? {
    switch action {
    case .wait(let instant): instant
    // A limit of zero length has passed already: the timer finds that out at once.
    case .idleTimeout, .resourceTimeout, .restTimeout, .retry: .now
    case .nothing: nil
    }
  }

  /// The idle timer runs again.
  func lookAtDeadline(_ now: MonotonicInstant) {
    if let deadline = update({ Self.announceDeadline(&$0, now) }) { session.deadlines.look(by: deadline) }
  }

  /// The attempt begins or ends a wait that is not due to its peer: the request timeout stops meanwhile.
  func waiting(_ waits: Bool, attempt: Int) {
    let now = MonotonicInstant.now
    let deadline = update { state in
      state.machine.waiting(waits, attempt: attempt, at: now)
      return waits ? nil : Self.announceDeadline(&state, now)
    }
    if let deadline { session.deadlines.look(by: deadline) }
  }

  /// The deadline for the timer, if it is set for a later one.
  private static func announceDeadline(_ state: inout State, _ now: MonotonicInstant) -> MonotonicInstant? {
    // The timer looks at this load before its idle timeout can pass: the common case.
    if let announced = state.announcedDeadline, state.machine.isEarlyEnough(announced, now: now) { return nil }
    guard let instant = deadline(state.machine.checkDeadline(at: now)) else { return nil }
    // Most often the timer is set for something earlier, and will ask again.
    if let announced = state.announcedDeadline, announced <= instant { return nil }
    state.announcedDeadline = instant
    return instant
  }

  /// Ends the load if one of its timeouts passed; else says when to look again.
  func checkDeadline(at now: MonotonicInstant) -> MonotonicInstant? {
    switch checkDeadlineDirectly(at: now) {
    case .nothing: return nil
    case .wait(let instant): return instant
    case .passed, nil: break
    }
    let (action, limits) = update { state in
      state.apply(state.machine.resumeAtRate(at: now))
      let action = state.machine.checkDeadline(at: now)
      if case .wait(let instant) = action { state.announcedDeadline = instant } else { state.announcedDeadline = nil }
      return (action, state.machine.limits)
    }
    switch action {
    case .nothing: return nil
    case .wait(let instant): return instant
    case .idleTimeout:
      let error = failure(.timedOut, "No answer and no data for \(limits.idle.seconds) s, the request timeout.")
      if !retries(afterSilence: error) { abort(error) }
    case .resourceTimeout:
      abort(failure(.timedOut, "The load was not done within \(limits.resource.seconds) s, the resource timeout."))
    case .restTimeout: endDuplex(duplex?.endIsOverdue())
    case .retry: retry(at: now)
    }
    return nil
  }

  /// An error about the resource that is being loaded.
  func failure(_ code: URLError.Code, _ message: String, underlying: (any Error)? = nil) -> URLError {
    let url = read { $0.attempt.request?.url } ?? plan.request.url
    return URLError(
      code, message: message, url: url, underlying: underlying)
  }
}

extension Optional where Wrapped == Duration {
  /// Seconds, for people.
  fileprivate var seconds: String {
    guard let self else { return "∞" }
    let seconds = Double(self.components.seconds) + Double(self.components.attoseconds) / 1e18
    guard seconds >= 0.01 else { return String(format: "%g", seconds) }
    // Two digits at most after the point, and none that says nothing.
    var text = String(format: "%.2f", seconds)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
