internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The end of a load: the instance is stopped, pending calls are delivered or dropped, then come metrics and one completion.
extension Load {
  /// Ends the load with an error that is not the instance's.
  func abort(_ error: any Error) {
    if update({ $0.machine.abort() }) == .end { end(error, dropsWaiting: true) }
  }

  /// Stops the instance and completes the task after the pending deliveries; the machine has permitted it.
  func end(_ error: (any Error)?, dropsWaiting: Bool) {
    let error = error.map(namingOwnURL)
    var caching: (AttemptCaching?, CacheRecorder?)?
    let (isCompleted, delivery, sink, entries) = update { state -> (Bool, Delivery?, (any BodySink)?, EntrySink?) in
      caching = state.attempt.cache.take()
      // Another end may have come first, and be complete.
      guard state.machine.state != .completed else { return (true, nil, nil, nil) }
      // A cancellation may have come between the instance's end and this one.
      state.ending.error = error ?? state.ending.error
      state.stopInstance()
      return (false, state.delivery, state.sink, state.entries)
    }
    // Discards an incomplete stored response, and releases the claim that other loads wait for.
    withExtendedLifetime(caching) { caching = nil }
    if case .reader = plan.owner, !isCompleted { tellEnd(error) }
    entries?.end(error)
    guard !isCompleted else { return }
    let last: @Sendable () -> Void = {
      guard let delivery else {
        // The resumed function completes the load itself: this may be the transfer loop.
        if let waiter = self.update({ $0.ending.takeWaiter() }) { EventLoop.resume(waiter) }
        return
      }
      let complete: @Sendable () -> Void = { _ = self.complete() }
      if dropsWaiting { delivery.replaceAll(with: complete) } else { delivery.addLast(complete) }
    }
    // A stream's reader gets the end after the bytes.
    if sink?.end(error, then: last) != true { last() }
  }

  /// An error of a WebSocket task names a URL of its own scheme, and not that of its handshake.
  private func namingOwnURL(_ error: any Error) -> any Error {
    guard plan.kind == .webSocket, let error = error as? URLError, let failing = error.failingURL,
      let own = plan.request.url, own.scheme?.lowercased().hasPrefix("ws") == true,
      let scheme = failing.scheme, scheme.lowercased().hasPrefix("http")
    else { return error }
    // That of the task as it was written; after a redirect the other one.
    let renamed = URL(string: "ws" + failing.absoluteString.dropFirst(4))
    return error.about(renamed?.absoluteString.lowercased() == own.absoluteString.lowercased() ? own : renamed ?? own)
  }

  /// Begins the load, and resumes the continuation when it has ended: at once if it has already.
  func resume(_ task: URLSessionTask, waking function: UnsafeContinuation<Void, Never>) {
    guard !beginDirectly(task, waking: function) else { return }
    if update({ $0.ending.wait(function) }) { function.resume() }
    resume(task)
  }

  /// What an `async` function gets when it was resumed.
  func takeOutcome() -> LoadPlan.Outcome {
    completeDirectly() ?? complete() ?? update { $0.ending.takeOutcome() }
      ?? LoadPlan.Outcome(body: .none, response: nil, error: URLError(.cancelled))
  }

  /// What completing a task needs.
  struct Ended {
    var task: URLSessionTask
    var response: URLResponse?
    var error: (any Error)?
    var sink: (any BodySink)?
    var delivery: Delivery?
    var delegates: SessionDelegates
    var progress: Progress?
    var resumeDataHandler: (@Sendable (Data?) -> Void)?
  }

  /// Completes the task: metrics, then its one completion.
  /// - Returns: the outcome for a function that completes the load itself; nil for other owners, and when it was completed before.
  func complete() -> LoadPlan.Outcome? {
    if let parts = read({ $0.ending.error == nil ? $0.parts : nil }) { deliverRest(of: parts) }
    guard let ended = update({ $0.takeEnded() }) else { return nil }
    let task = ended.task
    var (body, error) = closeBody(ended)
    if plan.kind == .upload, let failure = error { error = withUploadResumeData(failure, of: ended) }
    let finished = ended.delegates.task == nil ? nil : finishedMetrics
    tellEnd(error)
    // Callers get an answer, also when the end came first.
    if let handler = ended.resumeDataHandler { handler(error.flatMap { Self.resumeData(of: $0) }) }
    if let error { update { $0.ending.error = error } }
    if let delegates = ended.delegates.task, let finished {
      delegates.tell(.metrics) { $0.urlSession(session, task: task, didFinishCollecting: finished) }
    }
    if ended.progress != nil { updateProgress() }
    var outcome: LoadPlan.Outcome?
    switch plan.owner {
    case .handler(let handler):
      handler(body, ended.response, error)
      if case .file(let url) = body { unlink(url.path) }
    case .waiter:
      outcome = LoadPlan.Outcome(body: body, response: ended.response, error: error)
      if ended.delivery != nil, let waiter = update({ $0.ending.takeWaiter(outcome.take()) }) {
        EventLoop.resume(waiter)
      }
    case .reader, .detached: break
    case .delegate:
      if case .file(let url) = body, let download = task as? URLSessionDownloadTask {
        ended.delegates.download?.tell(.file) {
          $0.urlSession(session, downloadTask: download, didFinishDownloadingTo: url)
        }
        plan.background?.tookFile()
        unlink(url.path)
      }
      ended.delegates.task?.tell(.completion) { $0.urlSession(session, task: task, didCompleteWithError: error) }
    }
    plan.background?.end()
    session.didEnd(task)
    return outcome
  }

  /// Tells the listener of the end, once, ahead of the program.
  private func tellEnd(_ error: (any Error)?) {
    guard let events else { return }
    events.recordEnd(URLSession.EventOutcome(error), finishedMetrics)
    events.flush()
  }

  private var finishedMetrics: URLSessionTaskMetrics {
    let (metrics, redirectCount) = read { ($0.metrics, $0.machine.redirectCount) }
    return metrics.finished(redirectCount: redirectCount)
  }

  private static func resumeData(of error: any Error) -> Data? {
    let info = (error as NSError).userInfo
    return (info[NSURLSessionDownloadTaskResumeData] ?? info[NSURLSessionUploadTaskResumeData]) as? Data
  }

  /// What the owner gets of the body. The file of a download that failed is kept when the download can resume.
  private func closeBody(_ ended: Ended) -> (LoadedBody, (any Error)?) {
    switch ended.sink {
    case let buffer as BufferSink where ended.error == nil: return (.data(buffer.take()), nil)
    case let sink as DelegateSink: return close(sink.file, ended)
    case let file as FileSink: return close(file, ended)
    default: return (.none, ended.error)
    }
  }

  private func close(_ file: FileSink?, _ ended: Ended) -> (LoadedBody, (any Error)?) {
    guard let file else { return (.none, ended.error) }
    guard let error = ended.error else {
      do { return (.file(try file.finish()), nil) } catch {
        file.discard()
        return (.none, error)
      }
    }
    guard let data = resumeData(of: ended, file: file) else { return (.none, error) }
    let nsError = error as NSError
    var info = nsError.userInfo
    info[NSURLSessionDownloadTaskResumeData] = data
    let extended = NSError(domain: nsError.domain, code: nsError.code, userInfo: info)
    return (.none, error is URLError ? URLError(_nsError: extended) : extended)
  }
}

extension Load.State {
  /// Takes out what belongs to the end, once; nil when the task was completed before.
  fileprivate mutating func takeEnded() -> Load.Ended? {
    guard machine.end(), let task else { return nil }
    defer {
      attempt.driver = nil
      sink = nil
      entries = nil
      delivery = nil
      self.task = nil
      ownDelegate = nil
      delegates = SessionDelegates.none
      ending.resumeDataHandler = nil
    }
    return Load.Ended(
      task: task, response: response, error: ending.error, sink: sink, delivery: delivery, delegates: delegates,
      progress: progress, resumeDataHandler: ending.resumeDataHandler)
  }
}
