// Safe to share: what it adds to URLSessionTask never changes, and guards itself.
/// A WebSocket connection (RFC 6455), which exchanges messages until one side closes it.
///
/// The handshake is an ordinary HTTP exchange of the session, with its proxies, cookies, credentials, redirects and
/// metrics; a server that does not agree ends the task with `URLError.badServerResponse`, and its answer is
/// ``URLSessionTask/response``. Messages that are sent before it completes are queued. Afterwards there is no idle
/// timeout.
///
/// A peer that breaks the protocol gets a close frame with the fitting code, and the task ends with `URLError.badServerResponse`; one
/// that sends a longer message than ``maximumMessageSize``, with `URLError.dataLengthExceedsMaximum`. A connection that ends without a
/// close frame ends it with `URLError.networkConnectionLost`.
///
/// Unreceived messages are buffered up to ``URLSessionConfiguration/maximumBufferedBytesPerTask``; then back-pressure
/// stops the peer.
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  private let channel: WebSocketChannel?

  /// Makes a task that belongs to no session, see ``URLSessionTask/init()``. Whatever it is asked for fails.
  public override init() {
    channel = nil
    super.init()
  }

  init(load: Load, channel: WebSocketChannel) {
    self.channel = channel
    super.init(load: load)
  }

  deinit { channel?.taskIsReleased() }

  /// Makes the handshake, or continues with it and with what waits. What was sent before goes out when it is done.
  open override func resume() { super.resume() }

  /// Why the task ended; nil while it has not, and where the peer or the owner closed the connection as agreed.
  open override var error: (any Error)? { super.error }

  // MARK: Messages

  /// Sends a message, after those before it, and returns when it was given to the connection.
  /// - Throws: the error that the task ended with; `URLError.networkConnectionLost` after a close frame.
  open func send(_ message: Message) async throws {
    try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
      guard let channel else { return continuation.resume(throwing: Self.unmade) }
      channel.send(message) { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
    }
  }

  /// Sends a message, after those before it; the handler is called on the session's delegate queue when it was given to the connection.
  @preconcurrency
  open func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    guard let channel else { return completionHandler(Self.unmade) }
    channel.send(message, queued(completionHandler))
  }

  /// Waits for the next message.
  ///
  /// Where more than one waits, the first gets the first message. Messages that came before the end are given after it, too.
  /// - Throws: the error that the task ended with; `URLError.networkConnectionLost` once the connection is closed;
  ///   `CancellationError` where the surrounding task is cancelled, and then no message is lost.
  open func receive() async throws -> Message {
    if !Task.isCancelled, let message = channel?.takeMessage() { return message }
    let receiver = WebSocketReceiver()
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        guard let channel else { return continuation.resume(throwing: Self.unmade) }
        receiver.wait(continuation, for: channel)
      }
    } onCancel: {
      if let channel { receiver.cancel(channel) }
    }
  }

  /// Calls the handler, on the session's delegate queue, with the next message, once.
  @preconcurrency
  open func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
    guard let channel else { return completionHandler(.failure(Self.unmade)) }
    let load = load
    channel.receive { result in load.call { completionHandler(result) } }
  }

  /// The most bytes that a message may have, 1 MiB unless set; a longer one ends the task.
  open var maximumMessageSize: Int {
    get { channel?.maximumMessageSize ?? 1 << 20 }
    set { channel?.maximumMessageSize = max(0, newValue) }
  }

  // MARK: Ping

  /// Sends a ping; the handler is called on the session's delegate queue when its pong has come, or the connection has ended.
  @preconcurrency
  open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
    guard let channel else { return pongReceiveHandler(Self.unmade) }
    channel.ping(queued(pongReceiveHandler))
  }

  // MARK: The end

  /// Closes the connection gracefully, after the queued messages. The task ends when the peer has closed too, or after
  /// 5 s with `URLError.cancelled`.
  /// - Parameters:
  ///   - closeCode: 1000 to 1003, 1007 to 1014, or one of one's own, 3000 to 4999; for others, which may not be sent, the close frame has
  ///     no code.
  ///   - reason: text in UTF-8; what is beyond 123 bytes is cut.
  open func cancel(with closeCode: CloseCode, reason: Data?) {
    guard let channel else { return }
    if load.read({ $0.machine.isUnstarted }) { return cancel() }
    channel.close(closeCode, reason: reason)
  }

  /// Ends the task at once with `URLError.cancelled`. The peer gets a close frame without a code, if the connection takes it.
  open override func cancel() {
    channel?.cancel()
    super.cancel()
  }

  /// The peer's code, whatever its number; `invalid` while the connection is open.
  open var closeCode: CloseCode { channel?.closeCode ?? .invalid }

  /// The peer's reason: text in UTF-8.
  open var closeReason: Data? { channel?.closeReason }

  private func queued(_ handler: @escaping @Sendable ((any Error)?) -> Void) -> WebSocketConversation.Completion {
    let load = load
    return { error in load.call { handler(error) } }
  }

  /// For requests of a task that no session made.
  private static let unmade = URLError(
    .unsupportedURL, message: "A WebSocket task that no session made has no connection.", url: nil)
}

extension URLSessionWebSocketTask {
  /// Sends a ping and waits for its pong.
  public func sendPing() async throws {
    try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
      guard let channel else { return continuation.resume(throwing: Self.unmade) }
      channel.ping { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
    }
  }
}
