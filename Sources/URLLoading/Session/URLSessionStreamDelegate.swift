/// What a stream task reports to its owner.
@preconcurrency
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
  /// Nothing more can be read: the peer has closed its direction, or the task has. What it sent before may still be waiting.
  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

  /// Nothing more can be written: ``URLSessionStreamTask/closeWrite()`` has taken effect, or the connection broke.
  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

  /// Another network would reach the host better. Never called here: connections are not moved between networks.
  func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)

  /// The task's connection is that of these streams now, which are not open yet, and the task is over
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
