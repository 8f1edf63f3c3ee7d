internal import URLLoadingBase

/// What only the transfer service can say about a load.
extension LoadClient {
  /// Another request is loaded by now, after redirects.
  func replaceRequest(_ request: URLRequest) {
    load.update { state in
      if state.machine.attempt == attempt { state.attempt.request = request }
    }
  }

  func waitsForConnectivity() { load.tellWaiting() }

  /// A download was resumed.
  func resumed(at offset: Int64, expecting expected: Int64) {
    (load.read { $0.sink } as? FileSink)?.noteElsewhere(offset)
    load.announceResume(at: offset, of: expected)
  }

  /// The response is a part of what the download is to have.
  func expect(_ length: Int64) {
    guard load.plan.kind == .download else { return }
    load.update { state in
      if state.machine.attempt == attempt { state.counts.expectedToReceive = length }
    }
  }

  /// Bytes have arrived, or left, elsewhere.
  func progressed(_ progress: BackgroundProgress) {
    let sink = load.read { $0.sink } as? FileSink
    load.update { state in
      guard state.machine.attempt == attempt else { return }
      if sink != nil { state.counts.received = progress.received }
      if progress.expectedToReceive != 0 { state.counts.expectedToReceive = progress.expectedToReceive }
      state.counts.sent = progress.sent
    }
    sink?.noteElsewhere(progress.received)
    load.reportProgress()
  }

  /// What the task's requests did elsewhere.
  func collected(_ metrics: URLSessionTaskMetrics) {
    load.update { state in
      if state.machine.attempt == attempt { state.metrics.replaceAll(with: metrics) }
    }
  }

  /// The body of the download is in a file, which becomes the load's.
  func adopt(file: String) throws {
    guard let sink = load.read({ $0.sink }) as? FileSink else { return }
    try sink.adopt(URL(fileURLWithPath: file))
  }

  /// The delegate has been given the file of the download before.
  func dropFile() { load.update { $0.sink = nil } }

  /// Asks the delegate whether a task whose date has come is loaded.
  /// - Parameter answer: gets what it says; returns whether the task continues.
  func askAboutDelayedRequest(
    _ answer: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Bool
  ) {
    let (delegate, task, delivery, request) = load.read {
      ($0.delegates.task, $0.task, $0.delivery, $0.attempt.request)
    }
    guard let delegate, let task, let delivery, let request else {
      _ = answer(.continueLoading, nil)
      return
    }
    let load = load
    delivery.addQuestion(
      ask: { take in
        delegate.ask(
          .delayed,
          { delegate, take in
            delegate.urlSession(load.session, task: task, willBeginDelayedRequest: request) {
              take(DelayedRequestAnswer(disposition: $0, request: $1))
            }
          }, answer: take)
      },
      then: { (given: DelayedRequestAnswer) in
        if !answer(given.disposition, given.request) { load.cancel(task) }
      })
  }
}
