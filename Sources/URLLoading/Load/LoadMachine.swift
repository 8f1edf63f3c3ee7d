internal import URLLoadingBase

/// The state machine of a load: a value that is fed events and answers each with a named action. No I/O, no clock, no locks.
///
/// A load opens a protocol instance (an *attempt*; each redirect makes another), waits out redirects and challenges, passes one
/// response and the body on to a consumer, and ends once. Events of an attempt that is over, and all events after the end,
/// are answered with `ignore`; events that an instance may not send at that point end the load with an error.
struct LoadMachine {
  private enum Phase: Equatable {
    /// Not resumed for the first time.
    case unstarted
    /// An attempt runs and has sent no response.
    case opening
    /// A redirect waits for a decision.
    case redirecting
    /// A challenge waits for an answer.
    case challenged
    /// The attempt failed for want of connectivity. No instance runs; another begins when the network has changed.
    case unconnected
    /// The attempt has failed, or its response is dropped. Another begins when its time has come; what the instance still sends is ignored.
    case awaitingRetry
    /// The response is out; the body follows.
    case receiving
    /// The instance has finished; the consumer still has pending bytes or decisions.
    case finishing
    /// The task was completed.
    case ended
  }

  /// Why the gate is closed; it is open while there is no reason.
  private struct PauseReasons: OptionSet {
    let rawValue: UInt8
    static let suspended = PauseReasons(rawValue: 1)
    static let slowConsumer = PauseReasons(rawValue: 2)
    static let decision = PauseReasons(rawValue: 4)
    static let rate = PauseReasons(rawValue: 8)
  }

  private var phase = Phase.unstarted
  private var pauses = PauseReasons()
  private var suspensions = 1
  private var isWaiting = false
  private var isCancelled = false
  /// The challenge came after the response.
  private var isChallengedInside = false
  private var lastProgress: MonotonicInstant?
  private var rateAllowsMoreAt: MonotonicInstant?
  private var started: MonotonicInstant?
  /// When the end of the connection is overdue.
  private var restDeadline: MonotonicInstant?
  /// The demand is directory entries, not bytes.
  private let expectsEntries: Bool
  private(set) var limits: Limits
  /// Events that the load retains for a replay.
  private var retainedCount = 0
  /// Retained events are fed again; those that come meanwhile are retained after them.
  private var isReplaying = false
  private var connectivity: ConnectivityWait
  /// When the next attempt begins, of a load that waits for that.
  private var retryDue: MonotonicInstant?
  private(set) var attempt = 0
  private(set) var redirectCount = 0
  private(set) var bufferedBytes = 0
  /// Bytes that the attempt has sent ahead of its response.
  private var heldBytes = 0

  init(limits: Limits, expectsEntries: Bool = false, waitsForConnectivity: Bool = false) {
    self.expectsEntries = expectsEntries
    connectivity = ConnectivityWait(isWanted: waitsForConnectivity)
    var limits = limits
    // With a limit below zero no buffer would ever count as empty again.
    limits.bufferedBytes = max(0, limits.bufferedBytes)
    self.limits = limits
  }

  // MARK: What it looks like from outside

  /// The state of the task.
  var state: URLSessionTask.State {
    switch phase {
    case .ended: .completed
    case _ where isCancelled: .canceling
    default: suspensions > 0 ? .suspended : .running
    }
  }

  /// Whether the gate is closed.
  var isPaused: Bool { !pauses.isEmpty }

  /// Whether the user has suspended what had begun.
  var isSuspended: Bool { pauses.contains(.suspended) }

  /// Whether the buffer for the consumer is full.
  var waitsForConsumer: Bool { pauses.contains(.slowConsumer) }

  /// Whether the first resume is still to come.
  var isUnstarted: Bool { phase == .unstarted }

  // MARK: Commands of the user

  /// `reconnect` where the network has changed since the task was suspended, for an attempt that waits for that.
  enum ResumeAction: Equatable { case nothing, open, unpause, reconnect }

  /// The user resumed the task; suspensions nest.
  mutating func resume(at now: MonotonicInstant) -> ResumeAction {
    guard phase != .ended, suspensions > 0 else { return .nothing }
    suspensions -= 1
    guard suspensions == 0 else { return .nothing }
    guard phase != .unstarted else {
      guard !isCancelled else { return .nothing }
      phase = .opening
      attempt = 1
      started = now
      lastProgress = now
      return .open
    }
    guard phase != .unconnected || !connectivity.hasChange else {
      pauses.remove(.suspended)
      reconnect(at: now)
      return .reconnect
    }
    return removePause(.suspended, at: now) == .unpause ? .unpause : .nothing
  }

  enum FlowAction: Equatable { case nothing, pause, unpause }

  /// The user suspended the task.
  mutating func suspend() -> FlowAction {
    guard phase != .ended, !isCancelled else { return .nothing }
    suspensions += 1
    return phase == .unstarted ? .nothing : addPause(.suspended)
  }

  enum EndAction: Equatable {
    case ignore
    /// Drop pending deliveries, stop the instance if there is one, and complete with the error.
    case end
  }

  /// The user cancelled, or the load ends for a reason outside of the protocol.
  mutating func cancel() -> EndAction {
    guard phase != .ended, !isCancelled else { return .ignore }
    isCancelled = true
    phase = phase == .unstarted ? .unstarted : .finishing
    return .end
  }

  // MARK: Events of the protocol

  /// What becomes of a redirect or a challenge: `ask` for a decision, with the gate closed.
  enum QuestionAction: Equatable { case ignore, ask(FlowAction), fail(Failure) }

  /// The instance reported a redirect.
  mutating func redirected(attempt: Int, at now: MonotonicInstant) -> QuestionAction {
    guard accepts(attempt) else { return .ignore }
    guard phase == .opening else { return .fail(.lateRedirect) }
    guard redirectCount < limits.redirects else { return .fail(.tooManyRedirects) }
    lastProgress = now
    connectivity.hasConnected = true
    phase = .redirecting
    return .ask(addPause(.decision))
  }

  enum RedirectDecisionAction: Equatable {
    case ignore
    /// Stop the instance; open the next attempt for the new request.
    case open
    /// The redirect's own response is the result: replay what was retained.
    case replay(FlowAction)
    case fail(Failure)
  }

  /// The redirect is followed, or its response is the result.
  mutating func redirectDecided(attempt: Int, follow: Bool, at now: MonotonicInstant) -> RedirectDecisionAction {
    guard accepts(attempt), phase == .redirecting else { return .ignore }
    // What the instance sends until the load has ended is retained: it is no part of the result.
    guard follow || !expectsEntries else { return .fail(.unlistedRedirect) }
    phase = .opening
    if follow {
      redirectCount += 1
      beginAttempt(at: now)
      pauses.remove(.decision)
      return .open
    }
    isReplaying = true
    return .replay(removePause(.decision, at: now))
  }

  /// The load retains `count` events of its own instead of the instance's: a redirect's response, which no instance
  /// sends.
  mutating func retained(_ count: Int) {
    retainedCount = count
  }

  /// The next retained event is due; false when there is none, and events pass again as they come.
  mutating func replaysNext(attempt: Int) -> Bool {
    guard accepts(attempt), isReplaying else { return false }
    isReplaying = retainedCount > 0
    if isReplaying { retainedCount -= 1 }
    return isReplaying
  }

  /// The instance needs an answer to a challenge. The request timeout stands still until it has one.
  /// - Parameter mayFollowResponse: the connection is full duplex, where TLS may start after the response, or the transfer service resumes
  ///   the load, where the server is asked again.
  mutating func challenged(attempt: Int, mayFollowResponse: Bool = false) -> QuestionAction {
    guard accepts(attempt) else { return .ignore }
    guard phase == .opening || (mayFollowResponse && phase == .receiving) else { return .fail(.lateChallenge) }
    isChallengedInside = phase == .receiving
    phase = .challenged
    connectivity.hasConnected = true
    return .ask(addPause(.decision))
  }

  enum ChallengeAnswerAction: Equatable { case ignore, pass(FlowAction) }

  /// The challenge was answered, or withdrawn by the instance.
  mutating func challengeAnswered(attempt: Int, at now: MonotonicInstant) -> ChallengeAnswerAction {
    guard accepts(attempt), phase == .challenged else { return .ignore }
    phase = isChallengedInside ? .receiving : .opening
    isReplaying = retainedCount > 0
    return .pass(removePause(.decision, at: now))
  }

  /// What becomes of an event of the instance; `retain` for one that is fed again (``replaysNext(attempt:)``), `hold` for bytes ahead of their
  /// response, `finishUnanswered` for an end without a response (``unanswered(attempt:isReplay:)``).
  enum EventAction: Equatable { case ignore, retain, hold, deliver, finish, finishUnanswered, fail(Failure) }

  /// A response came. Whether there may be a second one, the load knows.
  mutating func responded(attempt: Int, isReplay: Bool = false, at now: MonotonicInstant) -> EventAction {
    guard accepts(attempt) else { return .ignore }
    lastProgress = now
    if retains(isReplay) { return .retain }
    switch phase {
    case .opening, .receiving:
      phase = .receiving
      return .deliver
    case .unstarted, .redirecting, .challenged, .unconnected, .awaitingRetry, .finishing, .ended: return .ignore
    }
  }

  /// Bytes of the body came. Ahead of a response the load holds as many as a task may have waiting.
  mutating func receivedData(
    _ count: Int = 0, attempt: Int, isReplay: Bool = false, at now: MonotonicInstant
  ) -> EventAction {
    let action = received(entries: false, attempt: attempt, isReplay, at: now)
    guard case .fail(.bytesAheadOfResponse) = action, !expectsEntries, count <= limits.bufferedBytes - heldBytes
    else { return action }
    heldBytes += count
    return .hold
  }

  /// Entries of a directory came.
  mutating func receivedEntries(attempt: Int, isReplay: Bool = false, at now: MonotonicInstant) -> EventAction {
    received(entries: true, attempt: attempt, isReplay, at: now)
  }

  private mutating func received(
    entries: Bool, attempt: Int, _ isReplay: Bool, at now: MonotonicInstant
  ) -> EventAction {
    guard accepts(attempt) else { return .ignore }
    lastProgress = now
    if retains(isReplay) { return .retain }
    switch phase {
    case .receiving: return entries == expectsEntries ? .deliver : .fail(entries ? .unaskedEntries : .unaskedBytes)
    case .opening: return .fail(entries ? .entriesAheadOfResponse : .bytesAheadOfResponse)
    case .unstarted, .redirecting, .challenged, .unconnected, .awaitingRetry, .finishing, .ended: return .ignore
    }
  }

  /// The instance has sent the whole body.
  mutating func finished(attempt: Int, isReplay: Bool = false) -> EventAction {
    guard accepts(attempt) else { return .ignore }
    if retains(isReplay) { return .retain }
    switch phase {
    case .opening: return expectsEntries ? .fail(.noResponse) : .finishUnanswered
    case .receiving:
      phase = .finishing
      return .finish
    case .unstarted, .redirecting, .challenged, .unconnected, .awaitingRetry, .finishing, .ended: return .ignore
    }
  }

  /// There will be no response: what was held passes without one.
  /// - Returns: false where that is not so, or not known.
  mutating func unanswered(attempt: Int, isReplay: Bool = false) -> Bool {
    guard opens(attempt: attempt, isReplay: isReplay) else { return false }
    phase = .receiving
    return true
  }

  enum FailureAction: Equatable {
    case ignore, retain, end
    /// Stop the instance; another is made for the same request when ``networkChanged(attempt:at:)`` says so.
    case awaitConnectivity(ConnectivityWait.Terms)
  }

  /// The instance failed. While a redirect is decided this may be how it ends itself, and is retained.
  /// - Parameter lacksConnectivity: it says that there is no network.
  mutating func failed(attempt: Int, isReplay: Bool = false, lacksConnectivity: Bool = false) -> FailureAction {
    guard accepts(attempt) else { return .ignore }
    // An unanswered challenge does not delay a failure.
    if phase != .challenged, retains(isReplay) { return .retain }
    if lacksConnectivity, phase == .opening, !isReplay, let terms = connectivity.begin() {
      phase = .unconnected
      // What the instance still sends is another attempt's.
      self.attempt += 1
      return .awaitConnectivity(terms)
    }
    switch phase {
    case .opening, .challenged, .receiving:
      phase = .finishing
      return .end
    case .unstarted, .redirecting, .unconnected, .awaitingRetry, .finishing, .ended: return .ignore
    }
  }

  /// The instance violated the order of events, or a consumer failed: the load ends with an error.
  mutating func abort() -> EndAction {
    switch phase {
    case .finishing, .ended: return .ignore
    case .unstarted, .opening, .redirecting, .challenged, .unconnected, .awaitingRetry, .receiving:
      phase = .finishing
      return .end
    }
  }

  // MARK: Connectivity

  /// Whether the load waits for connectivity.
  var awaitsConnectivity: Bool { phase == .unconnected && !isCancelled }

  enum ReconnectAction: Equatable { case ignore, open }

  /// The network has changed since the attempt before `attempt` failed, or the time is over that it was to wait at most. A suspended
  /// task begins its next attempt when it is resumed.
  mutating func networkChanged(attempt: Int, at now: MonotonicInstant) -> ReconnectAction {
    guard accepts(attempt), phase == .unconnected else { return .ignore }
    guard suspensions == 0 else {
      connectivity.hasChange = true
      return .ignore
    }
    reconnect(at: now)
    return .open
  }

  private mutating func reconnect(at now: MonotonicInstant) {
    phase = .opening
    beginAttempt(at: now)
  }

  // MARK: Retries

  /// Whether the load waits until it tries again.
  var awaitsRetry: Bool { phase == .awaitingRetry && !isCancelled }

  /// Whether a failure for want of a network would have the load wait for one.
  var mayWaitForConnectivity: Bool { phase == .opening && connectivity.isWanted && !connectivity.hasConnected }

  /// Whether the attempt may be given up for another one.
  /// - Parameter mayFollowResponse: the next attempt goes on where this one broke off, or its owner has nothing of it.
  func mayRetry(attempt: Int, mayFollowResponse: Bool = false) -> Bool {
    accepts(attempt) && !isReplaying && (phase == .opening || mayFollowResponse && phase == .receiving)
  }

  /// The response is out, and the body breaks off.
  func hasResponse(attempt: Int) -> Bool { accepts(attempt) && phase == .receiving }

  /// The attempt is given up; another begins at `due`, when a suspended task has been resumed.
  mutating func awaitRetry(attempt: Int, until due: MonotonicInstant) -> Bool {
    guard mayRetry(attempt: attempt, mayFollowResponse: true) else { return false }
    phase = .awaitingRetry
    retryDue = due
    return true
  }

  /// The time has come.
  /// - Returns: whether the next attempt begins.
  mutating func retries(at now: MonotonicInstant) -> Bool {
    guard let due = dueRetry, due <= now else { return false }
    retryDue = nil
    phase = .opening
    beginAttempt(at: now)
    return true
  }

  /// When the next attempt may begin; nil while there is none, or the task is suspended.
  var dueRetry: MonotonicInstant? { awaitsRetry && suspensions == 0 ? retryDue : nil }

  /// How long the load may still take; nil for no limit.
  func timeLeft(at now: MonotonicInstant) -> Duration? {
    guard let started, let limit = limits.resourceNanoseconds else { return nil }
    return now.duration(to: started.advanced(byNanoseconds: limit))
  }

  /// The attempt begins or ends a wait that is not due to its peer: the request timeout stops meanwhile.
  mutating func waiting(_ waits: Bool, attempt: Int, at now: MonotonicInstant) {
    guard accepts(attempt) else { return }
    isWaiting = waits
    lastProgress = now
  }

  /// The end of the connection may take this time from now, and not longer than it was to take before; the resource timeout still applies.
  mutating func limitRest(to limit: Duration, at now: MonotonicInstant) {
    let deadline = now.advanced(by: limit)
    restDeadline = restDeadline.map { min($0, deadline) } ?? deadline
  }

  /// The attempt made progress that is no event of its own, such as upload bytes that left.
  mutating func progressed(attempt: Int, at now: MonotonicInstant) {
    guard accepts(attempt) else { return }
    lastProgress = now
    connectivity.hasConnected = true
  }

  /// The load gives up the running attempt and begins another one that asks for something else; false after the end.
  mutating func restarted(attempt: Int, at now: MonotonicInstant) -> Bool {
    guard accepts(attempt), phase == .receiving else { return false }
    phase = .opening
    beginAttempt(at: now)
    return true
  }

  /// What the attempt would answer is replaced by what another attempt brings, such as a stored response, or the rest of an upload; false
  /// after a response and after the end.
  mutating func replaced(attempt: Int, at now: MonotonicInstant) -> Bool {
    guard accepts(attempt), phase == .opening else { return false }
    beginAttempt(at: now)
    return true
  }

  /// Whether an event of the attempt that is no redirect and no challenge would take effect before there is a response.
  func opens(attempt: Int, isReplay: Bool = false) -> Bool {
    accepts(attempt) && phase == .opening && (isReplay || !isReplaying)
  }

  // MARK: The consumer

  /// Bytes were buffered for a consumer, which reports when it has taken them.
  mutating func buffered(_ count: Int) -> FlowAction {
    bufferedBytes += count
    guard phase != .ended, bufferedBytes >= limits.bufferedBytes else { return .nothing }
    return addPause(.slowConsumer)
  }

  /// The consumer took bytes. The gate opens when half of the buffer is free.
  mutating func consumed(_ count: Int, at now: MonotonicInstant) -> FlowAction {
    bufferedBytes -= min(count, bufferedBytes)
    guard phase != .ended, bufferedBytes <= limits.bufferedBytes / 2 else { return .nothing }
    return removePause(.slowConsumer, at: now)
  }

  /// The receive rate was exceeded: the load pauses until `due`.
  mutating func exceededRate(until due: MonotonicInstant) -> FlowAction {
    guard phase != .ended else { return .nothing }
    rateAllowsMoreAt = due
    return addPause(.rate)
  }

  /// Resumes a load that was paused for its receive rate, if the time has passed.
  mutating func resumeAtRate(at now: MonotonicInstant) -> FlowAction {
    guard let due = rateAllowsMoreAt, due <= now else { return .nothing }
    rateAllowsMoreAt = nil
    return phase == .ended ? .nothing : removePause(.rate, at: now)
  }

  /// The task is completed now; false when it was completed before.
  mutating func end() -> Bool {
    guard phase != .ended else { return false }
    phase = .ended
    return true
  }

  // MARK: Time

  enum DeadlineAction: Equatable {
    case nothing
    case wait(until: MonotonicInstant)
    /// No progress for the request timeout.
    case idleTimeout
    /// The resource timeout passed.
    case resourceTimeout
    /// The connection was to have ended by now.
    case restTimeout
    /// The next attempt is due.
    case retry
  }

  /// Whether a deadline has passed, else the next deadline.
  func checkDeadline(at now: MonotonicInstant) -> DeadlineAction {
    guard phase != .ended, phase != .finishing, !isCancelled, let started else { return .nothing }
    let resource = limits.resourceNanoseconds.map { started.advanced(byNanoseconds: $0) }
    if let resource, resource <= now { return .resourceTimeout }
    if let restDeadline, restDeadline <= now { return .restTimeout }
    var next = resource
    if let restDeadline { next = next.map { min($0, restDeadline) } ?? restDeadline }
    if phase == .awaitingRetry {
      guard let due = dueRetry else { return next.map { .wait(until: $0) } ?? .nothing }
      return due <= now ? .retry : .wait(until: next.map { min($0, due) } ?? due)
    }
    if pauses.isEmpty, !isWaiting, phase != .unconnected, let idleLimit = limits.idleNanoseconds, let lastProgress {
      let idle = lastProgress.advanced(byNanoseconds: idleLimit)
      if idle <= now { return .idleTimeout }
      next = next.map { min($0, idle) } ?? idle
    }
    if let rateAllowsMoreAt { next = next.map { min($0, rateAllowsMoreAt) } ?? rateAllowsMoreAt }
    return next.map { .wait(until: $0) } ?? .nothing
  }

  /// Seconds since the first resume; 0 ahead of it.
  func elapsed(at now: MonotonicInstant) -> Double { started.map { $0.seconds(to: now) } ?? 0 }

  // MARK: Helpers

  private func accepts(_ attempt: Int) -> Bool {
    attempt == self.attempt && !isCancelled && phase != .awaitingRetry
  }

  private mutating func beginAttempt(at now: MonotonicInstant) {
    attempt += 1
    retainedCount = 0
    heldBytes = 0
    isReplaying = false
    isWaiting = false
    lastProgress = now
    connectivity.attemptBegins()
  }

  /// Whether an event is retained: for a decision, or after those that are replayed.
  private mutating func retains(_ isReplay: Bool) -> Bool {
    guard phase == .redirecting || phase == .challenged || (isReplaying && !isReplay) else { return false }
    retainedCount += 1
    return true
  }

  private mutating func addPause(_ reason: PauseReasons) -> FlowAction {
    let wasPaused = isPaused
    pauses.insert(reason)
    return wasPaused ? .nothing : .pause
  }

  private mutating func removePause(_ reason: PauseReasons, at now: MonotonicInstant) -> FlowAction {
    guard isPaused else { return .nothing }
    pauses.remove(reason)
    guard !isPaused else { return .nothing }
    lastProgress = now
    return .unpause
  }
}
