internal import URLLoadingBase

/// A data task that becomes a stream task: its owner reads the rest of the body.
extension Load {
  /// Puts a stream task in the place of a data task; the bytes that wait are the first that it reads.
  ///
  /// Called by the delivery, as the completion is: so one of the two tasks completes.
  func becomeStream(_ task: URLSessionDataTask) {
    let channel = StreamChannel(url: plan.request.url, isWritable: false)
    channel.attach(to: self)
    let stream = URLSessionStreamTask(load: self, channel: channel)
    guard let (delegate, sink) = succeed(task, by: stream, .becameStream(stream)) else { return }
    delegate.tell(.becameStream) { $0.urlSession(session, dataTask: task, didBecome: stream) }
    do {
      let moved = try sink.moveOn(to: channel) { buffered($0) }
      if moved > 0 { consumed(moved) }
    } catch {
      return abort(error)
    }
  }
}
