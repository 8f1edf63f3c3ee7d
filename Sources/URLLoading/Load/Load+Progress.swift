/// Progress: one report is pending at a time, so that reports to a slow delegate are coalesced.
extension Load {
  /// Tells the delegate and the task's `Progress` how far the load is, unless that is about to happen.
  func reportProgress() {
    let (hasNews, delivery) = update { state -> (Bool, Delivery?) in
      guard state.task != nil, state.isWatched,
        state.counts.isReportDue(isObserved: state.progress != nil || state.file != nil)
      else { return (false, nil) }
      if state.delivery != nil { state.counts.queueReport() }
      return (true, state.delivery)
    }
    guard hasNews else { return }
    if let delivery { delivery.add { self.tellProgress() } } else { tellProgress() }
  }

  func tellProgress() {
    let (newlySent, counts, delegates, task, file) = update { state in
      (state.counts.takeReport(), state.counts, state.delegates, state.task, state.file)
    }
    guard let task else { return }
    updateProgress()
    if newlySent > 0 {
      delegates.task?.tell(.sent) {
        $0.urlSession(
          session, task: task, didSendBodyData: newlySent, totalBytesSent: counts.sent,
          totalBytesExpectedToSend: expectedBytesToSend)
      }
    }
    guard case .delegate = plan.owner, let download = task as? URLSessionDownloadTask,
      let receivers = delegates.download, let file
    else { return }
    let (new, length) = update { state in
      let progress = file.takeProgress()
      // The task's counter is never lower than the delegate's.
      if progress.new > 0 { state.counts.received(total: progress.length) }
      return progress
    }
    guard new > 0 else { return }
    receivers.tell(.wrote) {
      $0.urlSession(
        session, downloadTask: download, didWriteData: new, totalBytesWritten: length,
        totalBytesExpectedToWrite: counts.expectedToReceive)
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
    if isDone {
      progress.totalUnitCount = max(1, counts.moved)
      progress.completedUnitCount = max(1, counts.moved)
      return
    }
    progress.totalUnitCount = counts.total(toSend: expectedBytesToSend, hasResponse: hasResponse)
    progress.completedUnitCount = counts.moved
  }
}

extension Load.State {
  /// Whether the progress is observed.
  var isWatched: Bool { progress != nil || delegates.task != nil }

  /// The file that a download writes.
  var file: FileSink? { sink as? FileSink ?? (sink as? DelegateSink)?.file }
}
