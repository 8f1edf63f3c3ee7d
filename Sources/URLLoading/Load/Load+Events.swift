internal import URLLoadingBase

/// The events of the protocol instance.
extension Load {
  /// Handles an event: at once, or after the events that the machine retains for a decision.
  func receive(_ event: Attempt.Event, attempt: Int, isReplay: Bool = false) {
    switch event {
    case .response(let response): receive(response, attempt: attempt, isReplay: isReplay)
    case .data(let data): receive(data, attempt: attempt, isReplay: isReplay)
    case .entries(let entries): receive(entries, attempt: attempt, isReplay: isReplay)
    case .finished:
      if finishedForCache(attempt: attempt) { return }
      let action = update { state in
        let action = state.machine.finished(attempt: attempt, isReplay: isReplay)
        _ = state.passes(action, .finished)
        return action
      }
      guard passes(action, attempt: attempt, isReplay: isReplay) else { return drop(nil, attempt: attempt) }
      let endWhole: @Sendable () -> Void = { self.end(self.errorOfWhole(), dropsWaiting: false) }
      if let recorder = takeRecorder(attempt: attempt), storesLater(recorder, then: endWhole) { return }
      endWhole()
    case .failed(let error):
      if failedForCache(error, attempt: attempt) { return }
      passHeldBytes(attempt: attempt, isReplay: isReplay)
      let lacksConnectivity = lacksConnectivity(error)
      if !lacksConnectivity || !read({ $0.machine.mayWaitForConnectivity }) {
        if failedForUpload(error, attempt: attempt, isReplay: isReplay) { return }
        if !isReplay, retries(after: error, attempt: attempt) { return }
      }
      let action = update { state in
        let action = state.machine.failed(
          attempt: attempt, isReplay: isReplay, lacksConnectivity: lacksConnectivity)
        switch action {
        case .retain: state.attempt.retained.append(.failed(error))
        case .awaitConnectivity:
          state.metrics.dropTransaction()
          state.stopInstance()
        case .ignore, .end: break
        }
        return action
      }
      switch action {
      case .ignore, .retain: drop(nil, attempt: attempt)
      case .end:
        guard let duplex else { return end(namingMissingCredentials(error), dropsWaiting: false) }
        end(duplex.connectionEnded(error), dropsWaiting: false)
      case .awaitConnectivity(let terms):
        events?.report(.waitsForConnectivity(error))
        awaitConnectivity(terms)
      }
    }
  }

  /// Replays the retained events, and those that arrive meanwhile, in order.
  func replayRetainedEvents(attempt: Int) {
    while true {
      let event = update { state -> Attempt.Event? in
        guard state.machine.replaysNext(attempt: attempt), !state.attempt.retained.isEmpty else { return nil }
        return state.attempt.retained.removeFirst()
      }
      guard let event else { return }
      receive(event, attempt: attempt, isReplay: true)
    }
  }

  /// The instance has sent all that it has.
  /// - Returns: why that is not the whole.
  private func errorOfWhole() -> (any Error)? {
    if let duplex { return duplex.connectionEnded(nil) }
    return plan.isResumption || session.parts.retries != nil ? truncationError() : nil
  }

  // MARK: Body

  /// Takes bytes of the body.
  func receive(_ bytes: UnsafeRawBufferPointer, attempt: Int) {
    receive(
      count: bytes.count, attempt: attempt, isReplay: false, copy: { Data(bytes) }, write: { try $0.write(bytes) },
      record: { $0.write(bytes) })
  }

  /// Takes bytes of the body that may be kept as they are.
  func receive(_ data: Data, attempt: Int, isReplay: Bool = false) {
    receive(
      count: data.count, attempt: attempt, isReplay: isReplay, copy: { data }, write: { try $0.write(data) },
      record: { recorder in data.withUnsafeBytes { recorder.write($0) } })
  }

  private func receive(
    count: Int, attempt: Int, isReplay: Bool, copy: () -> Data, write: (any BodySink) throws -> Bool,
    record: (CacheRecorder) -> Void
  ) {
    let now = MonotonicInstant.now
    // A download's counter never exceeds the bytes in its file.
    let countsWhatIsWritten = plan.kind == .download
    var pauseEnd: MonotonicInstant?
    let (action, sink, recorder, isWatched) = update {
      state -> (LoadMachine.EventAction?, (any BodySink)?, CacheRecorder?, Bool) in
      if state.attempt.cache.isWithheld, state.machine.attempt == attempt {
        state.machine.progressed(attempt: attempt, at: now)
        return (nil, nil, state.attempt.cache.recorder, false)
      }
      let action = state.machine.receivedData(count, attempt: attempt, isReplay: isReplay, at: now)
      if state.passes(action, .data(copy())) {
        if !countsWhatIsWritten { state.counts.received(more: count) }
        state.metrics.received(count)
        if let events = state.events, events.wantsBodies { events.record(.body(copy())) }
        if let sink = state.sink, sink.holdsBytes { state.apply(state.machine.buffered(count)) }
        if state.hasRate, let due = state.rate?.received(count, at: now) {
          state.apply(state.machine.exceededRate(until: due))
          pauseEnd = due
        }
      }
      return (action, state.sink, state.attempt.cache.recorder, state.isWatched)
    }
    if let pauseEnd { session.deadlines.look(by: pauseEnd) }
    guard let action else {
      if let recorder { record(recorder) }
      // Further bytes are of no use, or exceed the announced length, and may never end.
      if recorder?.hasOverflowed != false { _ = finishedForCache(attempt: attempt) }
      return
    }
    guard passes(action, attempt: attempt, isReplay: isReplay), let sink else { return drop(count, attempt: attempt) }
    if let recorder { record(recorder) }
    do {
      let isHeld = try write(sink)
      if sink.holdsBytes, !isHeld { consumed(count) }
      if countsWhatIsWritten { countWritten(in: sink, attempt: attempt) }
      if isWatched { reportProgress() }
    } catch {
      abort((error as? FileSink.Overrun).map(overrunError) ?? error)
    }
  }

  /// Counts what a download's file has now. What comes after a cancellation does not get there.
  private func countWritten(in sink: any BodySink, attempt: Int) {
    guard let file = sink as? FileSink else { return }
    update { state in
      if state.machine.attempt == attempt { state.counts.received(total: file.length) }
    }
  }

  // MARK: Response

  /// Takes the response's head.
  func receive(_ response: URLResponse, attempt: Int, isReplay: Bool = false) {
    if tookForUpload(response, attempt: attempt, isReplay: isReplay) { return }
    if tookAsRest(response, attempt: attempt, isReplay: isReplay) { return }
    let now = MonotonicInstant.now
    var held = Data()
    let (action, hasCredential, isSurplus) = update { state -> (LoadMachine.EventAction, Bool, Bool) in
      let action = state.machine.responded(attempt: attempt, isReplay: isReplay, at: now)
      if state.passes(action, .response(response)) {
        if let first = state.response, !mayFollow(first) { return (action, false, true) }
        beginParts(&state, with: response)
        state.response = response
        swap(&held, &state.attempt.held)
        state.metrics.responded(response)
        state.events?.record(.response(response))
      }
      return (action, state.attempt.credentials.awaitsAcceptance, false)
    }
    guard passes(action, attempt: attempt, isReplay: isReplay) else { return }
    if isSurplus { return abort(.secondResponse) }
    defer { if !held.isEmpty { receive(held, attempt: attempt, isReplay: isReplay) } }
    guard let offset = takeBackThroughStages(response, acceptsCredential: hasCredential) else { return }
    let length = response.expectedContentLength
    let (delegate, task, delivery, isWatched) = update { state in
      state.counts.expects(
        (offset > 0 ? response.contentRange?.completeLength : nil)
          ?? (length < 0 ? NSURLSessionTransferSizeUnknown : length + offset))
      state.sink?.begin(expectedLength: length)
      return (state.delegates.data, state.task, state.delivery, state.isWatched)
    }
    if isWatched { reportProgress() }
    if plan.kind == .bytes { read { $0.sink }?.begin(response: response) }
    guard openDuplex(response, attempt: attempt) else { return }
    guard case .delegate = plan.owner, plan.kind != .download, let delegate, let delivery,
      let task = task as? URLSessionDataTask, !delegate.lacks(.response)
    else { return }
    decide(
      asking: delegate, .response, by: delivery,
      { $0.urlSession(self.session, dataTask: task, didReceive: response, completionHandler: $1) },
      then: { (disposition: URLSession.ResponseDisposition) in
        switch disposition {
        case .allow: break
        case .cancel: self.cancel(task)
        case .becomeDownload: delivery.addNext { self.becomeDownload(task) }
        case .becomeStream: delivery.addNext { self.becomeStream(task) }
        }
      })
  }

  // MARK: What is known on the side

  func receivedInformational(_ response: HTTPURLResponse, attempt: Int) {
    let now = MonotonicInstant.now
    let (delegate, task, delivery) = update { state in
      state.machine.progressed(attempt: attempt, at: now)
      if state.machine.attempt == attempt { state.events?.record(.informational(response)) }
      return state.machine.attempt == attempt ? (state.delegates.task, state.task, state.delivery) : (nil, nil, nil)
    }
    // A delegate that hears of an upload's resource may stop it at once, and get resume data.
    let foreign = plan.kind == .upload ? announcedUpload(response, attempt: attempt) : nil
    if let delegate, let task, let delivery {
      delivery.add {
        delegate.tell(.informational) {
          $0.urlSession(self.session, task: task, didReceiveInformationalResponse: response)
        }
      }
    }
    if let foreign { askLeave(to: foreign, announcedBy: response, attempt: attempt) }
  }

  func sentBody(total: Int64, attempt: Int) {
    let now = MonotonicInstant.now
    update { state in
      guard state.machine.attempt == attempt else { return }
      state.machine.progressed(attempt: attempt, at: now)
      state.counts.sent(total: total + state.uploads.firstByte)
      state.metrics.sentBody()
    }
    reportProgress()
  }

  func collected(_ metrics: URLSessionTaskTransactionMetrics, attempt: Int) {
    update { state in
      guard state.machine.attempt == attempt else { return }
      state.metrics.replaceTransaction(metrics)
      state.events?.recordConnection(metrics)
    }
  }
}
