/// Progress: one report is pending at a time, so that reports to a slow delegate are coalesced.
extension Load {
  /// Tells the delegate and the task's `Progress` how far the load is, unless that is about to happen.
  func reportProgress() {
    let (hasNews, delivery) = update { state -> (Bool, Delivery?) in
      guard !state.counts.isReportQueued, state.task != nil, state.isWatched else { return (false, nil) }
      let hasNews =
        state.progress != nil || state.counts.sent != state.counts.reportedSent || state.file != nil
      guard hasNews else { return (false, nil) }
      state.counts.isReportQueued = state.delivery != nil
      return (true, state.delivery)
    }
    guard hasNews else { return }
    if let delivery { delivery.add { self.tellProgress() } } else { tellProgress() }
  }

  func tellProgress() {
    let (counts, delegates, task, file) = update { state in
      let counts = state.counts
      state.counts.isReportQueued = false
      state.counts.reportedSent = counts.sent
      return (counts, state.delegates, state.task, state.file)
    }
    guard let task else { return }
    updateProgress()
    tellSent(counts, delegates, task)
    guard case .delegate = plan.owner, let download = task as? URLSessionDownloadTask,
      let receivers = delegates.download, let file
    else { return }
    let (new, length) = update { state in
      let progress = file.takeProgress()
      // The task's counter is never lower than the delegate's.
      if progress.new > 0 { state.counts.received = progress.length }
      return progress
    }
    guard new > 0 else { return }
    receivers.tell(.wrote) {
      $0.urlSession(
        session, downloadTask: download, didWriteData: new, totalBytesWritten: length,
        totalBytesExpectedToWrite: counts.expectedToReceive)
    }
  }

  private func tellSent(_ counts: ByteCounts, _ delegates: SessionDelegates, _ task: URLSessionTask) {
    // A body that is sent again starts from 0.
    let already = counts.reportedSent <= counts.sent ? counts.reportedSent : 0
    guard counts.sent > already else { return }
    delegates.task?.tell(.sent) {
      $0.urlSession(
        session, task: task, didSendBodyData: counts.sent - already, totalBytesSent: counts.sent,
        totalBytesExpectedToSend: expectedBytesToSend)
    }
  }

  var expectedBytesToSend: Int64 {
    let (uploads, request) = read { ($0.uploads, $0.attempt.request ?? plan.request) }
    return uploads.expectedLength(of: request)
  }

  // MARK: Progress objects

  /// The task's `Progress`, made when it is asked for.
  func progress(of task: URLSessionTask) -> Progress {
    let made = update { state in
      if let progress = state.progress { return progress }
      let progress = Progress(parent: nil)
      progress.totalUnitCount = -1
      progress.kind = .file
      progress.isCancellable = true
      progress.isPausable = true
      progress.cancellationHandler = { [weak task] in task?.cancel() }
      progress.pausingHandler = { [weak task] in task?.suspend() }
      progress.resumingHandler = { [weak task] in task?.resume() }
      state.progress = progress
      return progress
    }
    updateProgress()
    return made
  }

  /// Bytes in both directions; the total is -1 while one of them is not known. A task that ended well is done, however
  /// much had been expected.
  func updateProgress() {
    let (progress, counts, hasResponse, isDone) = read { state in
      let isDone = state.machine.state == .completed && state.ending.error == nil
      return (state.progress, state.counts, state.response != nil, isDone)
    }
    guard let progress else { return }
    let moved = counts.sent + counts.received
    if isDone {
      progress.totalUnitCount = max(1, moved)
      progress.completedUnitCount = max(1, moved)
      return
    }
    let toSend = expectedBytesToSend
    let toReceive = hasResponse ? counts.expectedToReceive : -1
    // A server may announce any length.
    let (total, isTooLarge) = toSend.addingReportingOverflow(toReceive)
    progress.totalUnitCount = toSend < 0 || toReceive < 0 || isTooLarge ? -1 : total
    progress.completedUnitCount = moved
  }
}

extension Load.State {
  /// Whether the progress is observed.
  var isWatched: Bool { progress != nil || delegates.task != nil }

  /// The file that a download writes.
  var file: FileSink? { sink as? FileSink ?? (sink as? DelegateSink)?.file }
}
