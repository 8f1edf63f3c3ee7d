/// What a WebSocket task reports to its owner.
@preconcurrency
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
  /// The handshake has completed: messages can be sent and received.
  ///
  /// `protocol`: the sub-protocol that the server chose of those that were offered; nil for none.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?)

  /// The peer sent a close frame: first, or as the answer to ours (RFC 6455, section 7).
  /// - Parameters:
  ///   - session: the task's session.
  ///   - webSocketTask: the task whose peer it is.
  ///   - closeCode: what the peer gave; any number that RFC 6455, section 7.4, allows; `noStatusReceived` where it gave none.
  ///   - reason: text in UTF-8, at most 123 bytes; nil for none.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

extension URLSessionWebSocketDelegate {
  /// Does nothing.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
  ) {
    DelegateProbe.reachedDefault(of: self, .opened)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    DelegateProbe.reachedDefault(of: self, .closed)
  }
}
