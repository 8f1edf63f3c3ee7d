internal import CurlTransport

/// How a load ends: the instance is stopped, what waits is delivered or dropped, metrics and one completion are told.
extension Load {
  /// Ends the load with an error that came from elsewhere than the instance.
  func abort(_ error: any Error) {
    if update({ $0.machine.abort() }) == .end { end(error, dropsWaiting: true) }
  }

  /// Stops the instance and tells the end; the machine has agreed to it.
  func end(_ error: (any Error)?, dropsWaiting: Bool) {
    let (delivery, sink, entries) = update { state -> (Delivery?, (any BodySink)?, EntrySink?) in
      // The end may be on its way for another reason, and told meanwhile.
      guard state.machine.state != .completed else { return (nil, nil, nil) }
      state.error = error
      state.held = []
      state.isReplaying = false
      state.metrics.endTransaction()
      state.post(.stop)
      return (state.delivery, state.sink, state.entries)
    }
    session.deadlines.unwatch(self)
    // A stream is read by its owner's own task, which gets the end behind the bytes.
    sink?.end(error)
    entries?.end(error)
    guard let delivery else { return }
    let last: @Sendable () -> Void
    if case .waiter(let wake) = plan.owner, delivery.isInline {
      // What is left to do is the waiter's: this may be the transfer loop, which others wait for.
      last = wake
    } else {
      last = { self.complete() }
    }
    if dropsWaiting { delivery.replaceAll(with: last) } else { delivery.addLast(last) }
  }

  /// What the waiter of an `async` function gets when it was woken.
  func takeOutcome() -> LoadPlan.Outcome {
    complete()
    return update { state in
      defer { state.outcome = nil }
      return state.outcome ?? LoadPlan.Outcome(body: .none, response: nil, error: URLError(.cancelled))
    }
  }

  /// The last word about a task.
  private func complete() {
    let ended = update { state -> State? in
      guard state.machine.end() else { return nil }
      let copy = state
      state.driver = nil
      state.sink = nil
      state.entries = nil
      state.delivery = nil
      state.task = nil
      state.ownDelegate = nil
      state.delegates = SessionDelegates(nil)
      state.resumeDataHandler = nil
      return copy
    }
    guard let ended, let task = ended.task else { return }
    let (body, error) = closeBody(ended)
    update { $0.error = error }
    // Whoever asked gets an answer, also when the end came first.
    ended.resumeDataHandler?((error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    if let delegate = ended.delegates.task {
      let metrics = ended.metrics.finished(redirectCount: ended.machine.redirectCount)
      delegate.urlSession(session, task: task, didFinishCollecting: metrics)
    }
    updateProgress()
    switch plan.owner {
    case .handler(let handler):
      handler(body, ended.response, error)
      if case .file(let url) = body { unlink(url.path) }
    case .waiter(let wake):
      update { $0.outcome = LoadPlan.Outcome(body: body, response: ended.response, error: error) }
      if ended.delivery?.isInline == false { wake() }
    case .reader: break
    case .delegate:
      if case .file(let url) = body, let download = task as? URLSessionDownloadTask {
        ended.delegates.download?.urlSession(session, downloadTask: download, didFinishDownloadingTo: url)
        unlink(url.path)
      }
      ended.delegates.task?.urlSession(session, task: task, didCompleteWithError: error)
    }
    session.didEnd(task)
  }

  /// What the owner gets of the body. The file of a download that failed is kept when the download can resume.
  private func closeBody(_ ended: State) -> (LoadedBody, (any Error)?) {
    switch ended.sink {
    case let buffer as BufferSink where ended.error == nil: return (.data(buffer.take()), nil)
    case let sink as DelegateSink: return close(sink.file, ended)
    case let file as FileSink: return close(file, ended)
    default: return (.none, ended.error)
    }
  }

  private func close(_ file: FileSink?, _ ended: State) -> (LoadedBody, (any Error)?) {
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
