/// What a stream task reports to its owner.
@preconcurrency
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
  /// The input is closed, by the peer or by the task. Bytes that were received before may still be buffered.
  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

  /// The output is closed: ``URLSessionStreamTask/closeWrite()`` has taken effect, or the connection has failed.
  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

  /// Another network would reach the host better. Never called here: connections are not moved between networks.
  func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)

  /// The streams, which are not open yet, have taken over the connection, and the task has ended
  /// (``URLSessionStreamTask/captureStreams()``).
  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream)
}

extension URLSessionStreamDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.reachedDefault(of: self, .readClosed)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.reachedDefault(of: self, .writeClosed)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) {
    DelegateProbe.reachedDefault(of: self, .betterRoute)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream
  ) {
    DelegateProbe.reachedDefault(of: self, .streams)
  }
}
