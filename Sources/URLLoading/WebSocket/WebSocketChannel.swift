internal import URLLoadingBase

/// A WebSocket task's end of its connection: between the task's owner and its load.
///
/// Mutable state: `handshake`, guarded by its lock; the conversation's is its runner's.
final class WebSocketChannel: DuplexSink {
  private let runner: WebSocketRunner
  private let handshake: Locked<WebSocketHandshake>
  private let url: URL?
  /// Reads bytes of the conversation; made once, because its observer is set by the instance.
  let upstream: URLProtocolUpstream

  /// - Parameters:
  ///   - protocols: the sub-protocols that are offered, the preferred first.
  ///   - offersCompression: whether permessage-deflate is offered.
  ///   - limit: bytes of messages that may wait for the owner.
  ///   - url: what the task was made with.
  init(protocols: [String], offersCompression: Bool, limit: Int, url: URL?) {
    self.url = url
    let announcer = UpstreamAnnouncer()
    let runner = WebSocketRunner(WebSocketConversation(limit: limit, url: url), announcer)
    self.runner = runner
    handshake = Locked(WebSocketHandshake(protocols: protocols, offersCompression: offersCompression))
    upstream = URLProtocolUpstream(announcedBy: announcer) { runner.read(into: $0) }
  }

  var closeCode: URLSessionWebSocketTask.CloseCode { runner.read { $0.closeCode } }
  var closeReason: Data? { runner.read { $0.closeReason } }
  var maximumMessageSize: Int {
    get { runner.read { $0.maximumMessageSize } }
    set { runner.update { $0.maximumMessageSize = newValue } }
  }

  // MARK: Requests of the owner

  /// - Parameter waiter: who may stop waiting; nil where nobody does.
  func receive(by waiter: WebSocketReceiver? = nil, _ receiver: @escaping WebSocketConversation.Receiver) {
    runner.update { $0.receive(waiter.map { ObjectIdentifier($0) }, receiver) }
  }

  /// A message that has come already.
  func takeMessage() -> URLSessionWebSocketTask.Message? { runner.update { $0.takeMessage() } }

  func stopReceiving(_ waiter: WebSocketReceiver) {
    runner.update { $0.stopReceiving(ObjectIdentifier(waiter)) }
  }

  func send(_ message: URLSessionWebSocketTask.Message, _ completion: @escaping WebSocketConversation.Completion) {
    runner.update { $0.send(message, completion) }
  }

  func ping(_ completion: @escaping WebSocketConversation.Completion) { runner.update { $0.ping(completion) } }

  func close(_ code: URLSessionWebSocketTask.CloseCode?, reason: Data?) {
    runner.update { $0.close(code, reason: reason) }
  }

  func cancel() { runner.update { $0.cancel() } }

  // MARK: The load's side

  /// Makes the request one for a handshake, with a key of its own.
  func prepare(_ request: inout URLRequest) {
    handshake.withLock { $0.prepare(&request) }
  }

  func open(_ response: URLResponse, of load: Load) throws {
    let handshake = handshake.withLock { $0 }
    guard let response = response as? HTTPURLResponse else { throw failure("the response is not an HTTP response") }
    let agreement: WebSocketHandshake.Agreement
    do throws(WebSocketHandshake.Refusal) {
      agreement = try handshake.agreement(by: response)
    } catch {
      throw failure(error.words)
    }
    runner.connect(load)
    runner.update {
      let machine = WebSocketMachine(maximumMessageSize: $0.maximumMessageSize, compression: agreement.compression)
      $0.open(machine, protocol: agreement.subprotocol)
    }
  }

  private func failure(_ words: String) -> URLError {
    URLError(
      .badServerResponse,
      message: "The WebSocket handshake failed: \(words).", url: url)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    runner.update { $0.take(bytes) }
    return false
  }

  func connectionEnded(_ error: (any Error)?) -> (any Error)? {
    runner.update { $0.connectionEnded(error) }
  }

  func endIsOverdue() -> (any Error)? { runner.update { $0.endIsOverdue() } }

  func end(_ error: (any Error)?, then last: @escaping @Sendable () -> Void) -> Bool {
    let later =
      error
      ?? URLError(
        .networkConnectionLost, message: "The WebSocket is closed.",
        url: url)
    runner.end(then: last) { $0.end(later) }
    return true
  }
}
