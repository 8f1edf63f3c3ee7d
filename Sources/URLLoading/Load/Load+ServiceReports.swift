internal import URLLoadingBase

/// What the transfer service reports about a load, see ``BackgroundRelay``. Reports of an attempt that is over are ignored.
extension Load {
  func replaceRequest(_ request: URLRequest, attempt: Int) {
    update { state in
      if state.machine.attempt == attempt { state.attempt.request = request }
    }
  }

  func resumedInService(at offset: Int64, expecting expected: Int64) {
    read { $0.file }?.recordElsewhere(offset)
    announceResume(at: offset, of: expected)
  }

  func expect(_ length: Int64, attempt: Int) {
    guard plan.kind == .download else { return }
    update { state in
      if state.machine.attempt == attempt { state.counts.expects(length) }
    }
  }

  func progressedInService(_ progress: BackgroundProgress, attempt: Int) {
    let file = update { state -> FileSink? in
      let file = state.file
      guard state.machine.attempt == attempt else { return file }
      if file != nil { state.counts.received(total: progress.received) }
      if progress.expectedToReceive != 0 { state.counts.expects(progress.expectedToReceive) }
      state.counts.sent(total: progress.sent)
      return file
    }
    file?.recordElsewhere(progress.received)
    reportProgress()
  }

  func collectedInService(_ metrics: URLSessionTaskMetrics, attempt: Int) {
    update { state in
      if state.machine.attempt == attempt { state.metrics.replaceAll(with: metrics) }
    }
  }

  func adopt(file: URL) throws { try read { $0.file }?.adopt(file) }

  func dropFile() { update { $0.sink = nil } }

  func askAboutDelayedRequest(
    _ answer: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Bool
  ) {
    let (delegate, task, delivery, request) = read { ($0.delegates.task, $0.task, $0.delivery, $0.attempt.request) }
    guard let delegate, let task, let delivery, let request else {
      _ = answer(.continueLoading, nil)
      return
    }
    decide(
      asking: delegate, .delayed, by: delivery,
      { delegate, take in
        delegate.urlSession(self.session, task: task, willBeginDelayedRequest: request) {
          take(DelayedRequestAnswer(disposition: $0, request: $1))
        }
      },
      then: { (given: DelayedRequestAnswer) in
        if !answer(given.disposition, given.request) { self.cancel(task) }
      })
  }
}
