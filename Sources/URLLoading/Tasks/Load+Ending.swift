internal import URLLoadingCurlTransport

/// How a load ends: the instance is stopped, what waits is delivered or dropped, metrics and one completion are told.
extension Load {
  /// Ends the load with an error that came from elsewhere than the instance.
  func abort(_ error: any Error) {
    if update({ $0.machine.abort() }) == .end { end(error, dropsWaiting: true) }
  }

  /// Stops the instance and tells the end; the machine has agreed to it.
  func end(_ error: (any Error)?, dropsWaiting: Bool) {
    let (isTold, delivery, sink, entries) = update { state -> (Bool, Delivery?, (any BodySink)?, EntrySink?) in
      // The end may be on its way for another reason, and told meanwhile.
      guard state.machine.state != .completed else { return (true, nil, nil, nil) }
      state.error = error
      state.held = []
      state.isReplaying = false
      state.metrics.endTransaction()
      state.post(.stop)
      return (false, state.delivery, state.sink, state.entries)
    }
    // A stream is read by its owner's own task, which gets the end behind the bytes.
    sink?.end(error)
    entries?.end(error)
    guard !isTold else { return }
    // What is left to do is the waiter's: this may be the transfer loop, which others wait for.
    guard let delivery else { return wake() }
    let last: @Sendable () -> Void = { self.complete() }
    if dropsWaiting { delivery.replaceAll(with: last) } else { delivery.addLast(last) }
  }

  /// Has `continuation` resumed when the load has ended: at once if it did.
  func wait(_ continuation: Crowd.Function) {
    let isOver = update { state in
      if !state.isWaiterWoken { state.waiter = continuation }
      return state.isWaiterWoken
    }
    if isOver { continuation.resume(returning: nil) }
  }

  private func wake() {
    let waiter = update { state in
      state.isWaiterWoken = true
      defer { state.waiter = nil }
      return state.waiter
    }
    if let waiter { EventLoop.resume(waiter) }
  }

  /// What an `async` function gets when it was woken.
  func takeOutcome() -> LoadPlan.Outcome {
    if let outcome = takePlainOutcome() { return outcome }
    complete()
    return update { state in
      defer { state.outcome = nil }
      return state.outcome ?? LoadPlan.Outcome(body: .none, response: nil, error: URLError(.cancelled))
    }
  }

  /// The outcome of a load into memory that went well and that nobody watches: what ``complete()`` would do for it, in one step.
  private func takePlainOutcome() -> LoadPlan.Outcome? {
    let ended = update { state -> (URLSessionTask, BufferSink, URLResponse?)? in
      guard state.delivery == nil, state.error == nil, state.progress == nil, let sink = state.sink as? BufferSink,
        let task = state.task, state.machine.end()
      else { return nil }
      state.driver = nil
      state.sink = nil
      state.task = nil
      return (task, sink, state.response)
    }
    guard let (task, sink, response) = ended else { return nil }
    session.didEnd(task)
    return LoadPlan.Outcome(body: .data(sink.take()), response: response, error: nil)
  }

  /// What the last word about a task is made of.
  struct Ending {
    var task: URLSessionTask
    var response: URLResponse?
    var error: (any Error)?
    var sink: (any BodySink)?
    var delegates: SessionDelegates
    var resumeDataHandler: (@Sendable (Data?) -> Void)?
  }

  /// The last word about a task.
  private func complete() {
    guard let ending = update({ $0.takeEnding() }) else { return }
    let task = ending.task
    let (body, error) = closeBody(ending)
    // Whoever asked gets an answer, also when the end came first.
    ending.resumeDataHandler?((error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    let isWatched = update { state in
      state.error = error
      if case .waiter = plan.owner {
        state.outcome = LoadPlan.Outcome(body: body, response: ending.response, error: error)
      }
      return state.progress != nil
    }
    if let delegates = ending.delegates.task {
      let (metrics, redirectCount) = read { ($0.metrics, $0.machine.redirectCount) }
      let finished = metrics.finished(redirectCount: redirectCount)
      delegates.tell(.metrics) { $0.urlSession(session, task: task, didFinishCollecting: finished) }
    }
    if isWatched { updateProgress() }
    switch plan.owner {
    case .handler(let handler):
      handler(body, ending.response, error)
      if case .file(let url) = body { unlink(url.path) }
    case .waiter: wake()
    case .reader, .nobody: break
    case .delegate:
      if case .file(let url) = body, let download = task as? URLSessionDownloadTask {
        ending.delegates.download?.tell(.file) {
          $0.urlSession(session, downloadTask: download, didFinishDownloadingTo: url)
        }
        unlink(url.path)
      }
      ending.delegates.task?.tell(.completion) { $0.urlSession(session, task: task, didCompleteWithError: error) }
    }
    session.didEnd(task)
  }

  /// What the owner gets of the body. The file of a download that failed is kept when the download can resume.
  private func closeBody(_ ended: Ending) -> (LoadedBody, (any Error)?) {
    switch ended.sink {
    case let buffer as BufferSink where ended.error == nil: return (.data(buffer.take()), nil)
    case let sink as DelegateSink: return close(sink.file, ended)
    case let file as FileSink: return close(file, ended)
    default: return (.none, ended.error)
    }
  }

  private func close(_ file: FileSink?, _ ended: Ending) -> (LoadedBody, (any Error)?) {
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
  /// Takes out what belongs to the end, once; nil when it was told before.
  mutating func takeEnding() -> Load.Ending? {
    guard machine.end(), let task else { return nil }
    defer {
      driver = nil
      sink = nil
      entries = nil
      delivery = nil
      self.task = nil
      ownDelegate = nil
      delegates = SessionDelegates.none
      resumeDataHandler = nil
    }
    return Load.Ending(
      task: task, response: response, error: error, sink: sink, delegates: delegates,
      resumeDataHandler: resumeDataHandler)
  }
}
