internal import URLLoadingBase

/// A data task that becomes a stream task: its owner reads the rest of the body.
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
}
