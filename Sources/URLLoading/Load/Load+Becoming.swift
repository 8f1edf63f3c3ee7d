internal import URLLoadingBase

/// A data task that becomes another one at its response: a download, whose file gets the body so far, or a stream task, whose owner reads the
/// rest.
extension Load {
  /// Replaces a data task with a stream task, which reads the buffered bytes first.
  ///
  /// Called by the delivery, as the completion is: so exactly one of the two tasks completes.
  func becomeStream(_ task: URLSessionDataTask) {
    let (stream, rest) = URLSessionStreamTask.reading(self)
    guard let (delegate, sink) = replaceTask(task, with: stream, .becameStream(stream)) else { return }
    delegate.tell(.becameStream) { $0.urlSession(session, dataTask: task, didBecome: stream) }
    do {
      let moved = try sink.moveOn(to: rest) { buffered($0) }
      if moved > 0 { consumed(moved) }
    } catch {
      return abort(error)
    }
  }

  /// Turns a data task into a download task, which writes the bytes so far to the file.
  ///
  /// Called by the delivery, as the completion is: so one of the two tasks completes.
  func becomeDownload(_ task: URLSessionDataTask) {
    let file = FileSink()
    let download = URLSessionDownloadTask(load: self)
    guard let (delegate, sink) = replaceTask(task, with: download, .became(download)) else { return }
    delegate.tell(.becameDownload) { $0.urlSession(session, dataTask: task, didBecome: download) }
    do {
      consumed(try sink.moveOn(to: file))
    } catch {
      return abort(error)
    }
    tellProgress()
  }

  /// Turns a data task into another task.
  /// - Returns: the delivery, and the sink with the body so far; nil if the task has already become another.
  func replaceTask(
    _ task: URLSessionDataTask, with successor: URLSessionTask, _ event: LoadEvent
  ) -> (DelegateReceivers<any URLSessionDataDelegate>, DelegateSink)? {
    update { state in
      guard state.task === task else { return nil }
      state.task = successor
      events?.record(event)
      session.taskRegistry.retain(successor)
      session.taskRegistry.remove(task)
      guard let delegate = state.delegates.data, let sink = state.sink as? DelegateSink else { return nil }
      return (delegate, sink)
    }
  }
}
