internal import URLLoadingBase

/// Retries: an attempt that failed, or whose response says to come back, is followed by another by the session's policy.
extension Load {
  /// Nil for a load that is not tried again.
  static func retryStage(for plan: borrowing LoadPlan, session: URLSession) -> RetryStage? {
    guard let retries = session.parts.retries, !plan.kind.isDuplex, !plan.isSentOnce, plan.background == nil else {
      return nil
    }
    return RetryStage(retries.policy)
  }

  // MARK: The end of an attempt

  /// The instance has failed.
  /// - Parameter mayFollowResponse: false where it may still send bytes of a body.
  /// - Returns: whether the load tries again.
  func retries(after error: any Error, attempt: Int, mayFollowResponse: Bool = true) -> Bool {
    guard let retries = session.parts.retries,
      let capabilities = read({ $0.attempt.protocolClass })?.capabilities, capabilities.contains(.retries)
    else { return false }
    let mayResume = capabilities.contains(.byteRanges)
    return triesAgain(
      after: .failure(error), attempt: attempt, by: retries, mayResume: mayResume, mayFollowResponse: mayFollowResponse)
  }

  /// Nothing came for as long as the request timeout. Of a body that came slowly bytes may be on their way to a file, so that nobody knows
  /// where it ends.
  /// - Returns: whether the load tries again.
  func retries(afterSilence error: URLError) -> Bool {
    guard session.parts.retries != nil else { return false }
    return retries(after: error, attempt: read { $0.machine.attempt }, mayFollowResponse: false)
  }

  /// A response came.
  /// - Returns: whether it is dropped, and the load tries again.
  func retries(insteadOf response: URLResponse, attempt: Int) -> Bool {
    guard let retries = session.parts.retries, let http = response as? HTTPURLResponse,
      retries.policy.names(status: http.statusCode)
    else { return false }
    let (chosen, mayBeDropped) = read { state -> (URLProtocol.Type?, Bool) in
      // What the cache sends is its answer, and not the server's.
      (state.attempt.protocolClass, state.machine.attempt == attempt && !state.attempt.cache.isStored)
    }
    guard mayBeDropped, chosen?.capabilities.contains(.retries) == true, !mayAnswerStale(to: http) else { return false }
    let ending = RetriedEnding.status(http.statusCode, retryAfter: http.firstValue(of: "Retry-After"))
    return triesAgain(after: ending, attempt: attempt, by: retries, dropping: http)
  }

  /// Whether what is stored answers in the place of a response (stale-if-error, RFC 5861, section 4).
  private func mayAnswerStale(to response: HTTPURLResponse) -> Bool {
    guard session.values.urlCache != nil, let caching = read({ $0.attempt.cache.caching }),
      let fallback = caching.fallback, let head = fallback.entry.head
    else { return false }
    let rules = CacheRules(for: [fallback])
    return rules.mayAnswer(head, to: caching.request, after: .status(response.statusCode), at: Date())
  }

  /// - Parameters:
  ///   - response: what is dropped; nil after a failure.
  ///   - mayResume: whether a body that broke off can go on.
  ///   - mayFollowResponse: whether there may be a response that went its way.
  private func triesAgain(
    after ending: RetriedEnding, attempt: Int, by retries: SessionRetries, dropping response: HTTPURLResponse? = nil,
    mayResume: Bool = false, mayFollowResponse: Bool = false
  ) -> Bool {
    guard canSendAgain else { return false }
    let now = MonotonicInstant.now
    let (due, recorder, body, claim) = update {
      state -> (MonotonicInstant?, CacheRecorder?, (any BodySink)?, URLCacheClaim?) in
      let nothing: (MonotonicInstant?, CacheRecorder?, (any BodySink)?, URLCacheClaim?) = (nil, nil, nil, nil)
      guard var stage = state.retries, let request = state.attempt.request, !state.uploads.recoversByItself,
        state.machine.mayRetry(attempt: attempt, mayFollowResponse: mayFollowResponse),
        let left = left(of: state, attempt: attempt, mayResume: mayResume)
      else { return nothing }
      var generator = SystemRandomNumberGenerator()
      let action = stage.attemptEnded(
        ending, of: RetriedRequest(request), progress: left.progress, at: Date(),
        timeLeft: state.machine.timeLeft(at: now), using: &generator, withdraw: retries.withdraw)
      guard case .retry(let delay) = action else { return nothing }
      let due = now.advanced(by: delay)
      var body: (any BodySink)?
      if left == .nothing {
        body = state.loadAnew()
        stage.endRest()
      }
      if left == .file { state.response = nil }
      _ = state.machine.awaitRetry(attempt: attempt, until: due)
      state.retries = stage
      if let response {
        state.metrics.responded(response)
        state.events?.record(.response(response))
      } else {
        state.stopInstance()
      }
      return (due, state.attempt.cache.takeRecorder(), body, state.attempt.cache.caching?.claim)
    }
    // What was kept for the cache is not whole, and others need not wait for it.
    withExtendedLifetime((recorder, body)) {}
    claim?.end(.notStored)
    guard let due else { return false }
    if let response { storeCookiesAndCredential(of: response) }
    session.deadlines.look(by: due)
    return true
  }

  /// Whether the body can be sent again: all but a stream that was read, unless it was the delegate's, which is asked for another. Not under
  /// the load's lock: a stream may be of a class of the program's.
  private var canSendAgain: Bool {
    if case .stream(nil) = plan.upload { return true }
    guard case .stream(let stream?) = read({ $0.uploads.source }) else { return true }
    return stream.streamStatus == .notOpen
  }

  /// What is left of the attempts so far where another follows.
  private enum Left: Equatable {
    /// What was there before this one, which had no response.
    case same
    /// Nothing: nobody has seen the body, and all of it is loaded anew.
    case nothing
    /// A file that an earlier task has begun, whose stage asks for the rest.
    case file
    /// A body of which this is missing.
    case part(RangeExpectation)

    var progress: RetryStage.Progress {
      if case .part(let rest) = self { .part(rest) } else { .none }
    }
  }

  /// - Returns: nil where no attempt can follow.
  private func left(of state: borrowing State, attempt: Int, mayResume: Bool) -> Left? {
    guard state.machine.hasResponse(attempt: attempt) else { return .same }
    guard state.parts == nil, let sink = state.sink else { return nil }
    if plan.isResumption, state.resumption.data != nil {
      // A body that did not go on is not the one that the rest would be asked of.
      guard mayResume, let response = state.response,
        case .continues = state.resumption.verdict(on: response, askedAt: state.attempt.rangeOffset)
      else { return nil }
      return .file
    }
    let isPart = plan.request.value(forHTTPHeaderField: "Range") != nil
    let count: Int64
    switch sink {
    case let file as FileSink: count = file.length
    // Another task may have taken over, and the bytes be on their way to its file.
    case is DelegateSink where !(state.task is URLSessionDataTask): return nil
    default: count = state.counts.received
    }
    if mayResume, plan.request.httpMethod ?? "GET" == "GET", let response = state.response,
      let rest = Resumption(response, isPart: isPart)?.expectation(after: count)
    {
      return .part(rest)
    }
    return sink is BufferSink ? .nothing : nil
  }

  // MARK: Dropped responses

  /// An event had no effect: it may be of a response that is dropped, of which as much is read as keeps its connection, and not more.
  /// - Parameter count: bytes that came; nil at the end.
  func drop(_ count: Int?, attempt: Int) {
    guard session.parts.retries != nil else { return }
    update { state in
      guard state.machine.awaitsRetry, state.machine.attempt == attempt, state.attempt.driver != nil else { return }
      if let count { state.metrics.received(count) }
      if state.retries?.drops(count) == .stop { state.stopInstance() }
    }
  }

  // MARK: The next attempt

  /// The task was resumed, and may have waited for its next attempt.
  func lookAtRetry() {
    guard session.parts.retries != nil, let due = read({ $0.machine.dueRetry }) else { return }
    session.deadlines.look(by: due)
  }

  /// The next attempt is due.
  func retry(at now: MonotonicInstant) {
    let reason = update { state -> URLSession.EventRetryReason? in
      guard state.machine.retries(at: now) else { return nil }
      state.stopInstance()
      state.counts.sendsAnew(from: state.uploads.firstByte)
      return state.retries?.reason
    }
    if let reason { beginAgain(because: reason, at: now) }
  }

  // MARK: The rest of a body

  /// Whether the attempt asks for what is missing of a body, which is not the cache's to answer.
  var asksForRest: Bool { session.parts.retries != nil && read { $0.retries?.rest != nil } }

  /// Asks for what is missing of a body that broke off.
  func addRest(to request: inout URLRequest) {
    guard session.parts.retries != nil else { return }
    var asking = request
    let isChanged = update { state in state.retries?.ask(&asking, of: plan.request) == true }
    if isChanged { request = asking }
  }

  /// A response may be the rest of a body that broke off.
  /// - Returns: whether it is taken as that, or was of no use.
  func tookAsRest(_ response: URLResponse, attempt: Int, isReplay: Bool) -> Bool {
    guard session.parts.retries != nil else { return false }
    let (rest, failure, sink) = read { state -> (RangeExpectation?, (any Error)?, (any BodySink)?) in
      guard state.machine.opens(attempt: attempt, isReplay: isReplay) else { return (nil, nil, nil) }
      return (state.retries?.rest, state.retries?.failure, state.sink)
    }
    guard let rest else { return false }
    let isUnseen = sink is FileSink || sink is BufferSink
    switch rest.verdict(on: response) {
    // Of a body without a length nobody knows before its end that it has more bytes than its range, and a file alone counts them.
    case .continues(let range) where sink is FileSink || response.expectedContentLength == range.length:
      takeRest(response, of: range, into: sink as? FileSink, attempt: attempt, isReplay: isReplay)
    case .replaces where isUnseen:
      dropBody(update { $0.loadAnew() })
      if plan.kind == .download { announceResume(at: 0, of: response.expectedContentLength) }
      return false
    case .continues where isUnseen, .contradicts where isUnseen, .unsatisfiable where isUnseen:
      recordUseless(response)
      loadAnew(attempt: attempt)
    case .continues, .replaces, .contradicts, .unsatisfiable, .other:
      // No part of what is there: the load ends as it would have without another attempt.
      recordUseless(response)
      let error = failure ?? URLError(.networkConnectionLost)
      if update({ $0.machine.failed(attempt: attempt, isReplay: isReplay) }) == .end {
        end(error, dropsWaiting: false)
      }
    }
    return true
  }

  /// The body goes on. Its owner has the response already.
  private func takeRest(
    _ response: URLResponse, of range: ContentRange, into file: FileSink?, attempt: Int, isReplay: Bool
  ) {
    let now = MonotonicInstant.now
    var held = Data()
    let action = update { state in
      let action = state.machine.responded(attempt: attempt, isReplay: isReplay, at: now)
      if state.passes(action, .response(response)) {
        state.retries?.endRest()
        swap(&held, &state.attempt.held)
        state.metrics.responded(response)
        state.events?.record(.response(response))
      }
      return action
    }
    guard passes(action, attempt: attempt, isReplay: isReplay) else { return }
    file?.expectRest(ofLength: range.length)
    storeCookiesAndCredential(of: response)
    if !held.isEmpty { receive(held, attempt: attempt, isReplay: isReplay) }
  }

  /// A response has come of which nothing is used.
  private func recordUseless(_ response: URLResponse) {
    storeCookiesAndCredential(of: response)
    update { state in
      state.metrics.responded(response)
      state.events?.record(.response(response))
    }
  }

  /// The server has another version: the whole is loaded.
  private func loadAnew(attempt: Int) {
    let now = MonotonicInstant.now
    let (request, body) = update { state -> (URLRequest?, (any BodySink)?) in
      guard state.machine.replaced(attempt: attempt, at: now), var request = state.attempt.request else {
        return (nil, nil)
      }
      state.stopInstance()
      state.attempt.listenerFields.withdraw(from: &request)
      return (request, state.loadAnew())
    }
    dropBody(body)
    guard let request else { return }
    events?.report(.retries(.resourceChanged))
    if plan.kind == .download { announceResume(at: 0, of: -1) }
    open(request, for: .restart)
  }

  /// Not under the load's lock.
  private func dropBody(_ sink: (any BodySink)?) { (sink as? FileSink)?.startOver(isStale: true) }
}

extension Load.State {
  /// What came of a body is dropped, which its owner has nothing of.
  /// - Returns: where it went, for the caller to release, or to empty.
  fileprivate mutating func loadAnew() -> (any BodySink)? {
    retries?.endRest()
    response = nil
    counts.received(total: 0)
    let old = sink
    if old is BufferSink { sink = BufferSink() }
    return old
  }
}
