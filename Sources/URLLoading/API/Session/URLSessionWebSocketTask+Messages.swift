/// What messages are received from one by one: a ``URLSessionWebSocketTask``.
///
/// It is a protocol so that subclasses of the task may have members of the names below for themselves.
public protocol WebSocketMessageSource: AnyObject, Sendable {
  /// Waits for the next message.
  func receive() async throws -> URLSessionWebSocketTask.Message

  /// Why the connection was closed.
  var closeCode: URLSessionWebSocketTask.CloseCode { get }
}

extension URLSessionWebSocketTask: WebSocketMessageSource {}

extension WebSocketMessageSource {
  /// The messages as they come, until the peer closes the connection: an error where that is with anything but
  /// `normalClosure`, `goingAway` or no code.
  ///
  /// Reading does not cancel the task, nor does ending the loop early.
  public var messages: WebSocketMessages { WebSocketMessages(source: self) }
}

/// The messages of a WebSocket task, see ``WebSocketMessageSource/messages``.
public struct WebSocketMessages: AsyncSequence, Sendable {
  let source: any WebSocketMessageSource

  /// Receives one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let source: any WebSocketMessageSource

    /// The next message; nil when the peer has closed the connection.
    public mutating func next() async throws -> URLSessionWebSocketTask.Message? {
      do {
        return try await source.receive()
      } catch {
        switch source.closeCode {
        case .normalClosure, .goingAway, .noStatusReceived: return nil
        default: throw error
        }
      }
    }
  }

  /// An iterator; several of one task share the messages among themselves.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}
