internal import URLLoadingBase

/// Loads of tasks that the transfer service has.
extension Load {
  /// Begins the only attempt: cookies, redirects and the choice of a class are the service's.
  func openInService(_ request: URLRequest) {
    let number = update { state in
      state.attempt = Attempt(request: request)
      return state.machine.attempt
    }
    let gate = URLProtocolGate()
    let client = LoadClient(
      load: self, attempt: number, gate: gate, mayWait: ProtocolDriver.blocks(BackgroundRelay.self))
    let prepared = PreparedAttempt(
      request: request, protocolClass: BackgroundRelay.self, rangeOffset: nil, attempt: number)
    let start = attemptStart(prepared, with: BackgroundRelay(request, client: client), gate)
    open(start)
  }

  /// Sets what an earlier process has said about the task.
  func restore(_ hints: BackgroundTaskHints) {
    update { state in
      state.description = hints.label
      state.priority = hints.priority
      var known = TaskHints()
      known.earliestBeginDate = hints.earliestBegin
      known.expectedToSend = hints.expectedToSend
      known.expectedToReceive = hints.expectedToReceive
      state.hints = known
    }
  }

  /// Tells the service what is said about the task by now.
  func hintsChanged() {
    guard let background = plan.background else { return }
    let hints = read { state in
      var hints = BackgroundTaskHints()
      hints.label = state.description
      hints.priority = state.priority
      guard let known = state.hints else { return hints }
      hints.earliestBegin = known.earliestBeginDate
      hints.expectedToSend = known.expectedToSend
      hints.expectedToReceive = known.expectedToReceive
      return hints
    }
    background.changed(hints)
  }

  /// Cancels the task for what a later one needs to continue, which the service makes.
  func cancel(
    _ task: URLSessionTask, _ background: BackgroundTask,
    producingResumeData handler: @escaping @Sendable (Data?) -> Void
  ) {
    background.cancel { data in
      var info: [String: any Sendable] = [NSLocalizedDescriptionKey: "The task was cancelled."]
      if let data { info[task.resumeDataKey] = data }
      if let url = self.plan.request.url { info[NSURLErrorFailingURLErrorKey] = url }
      let error = NSError(domain: NSURLErrorDomain, code: URLError.Code.cancelled.rawValue, userInfo: info)
      self.cancel(task, because: URLError(_nsError: error))
      // Not on the thread that receives: a task that is made with the data waits for what comes there.
      DispatchQueue.global().async { handler(data) }
    }
  }
}
