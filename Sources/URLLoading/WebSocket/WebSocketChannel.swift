internal import URLLoadingBase

/// Carries out what a ``WebSocketConversation`` decides: between a task's owner and its load.
///
/// Effects are carried out after the lock, by one thread at a time, in their order.
///
/// Mutable state: `state`, guarded by its lock.
final class WebSocketChannel: DuplexSink {
  private struct State {
    var conversation: WebSocketConversation
    var handshake: WebSocketHandshake
    weak var load: Load?
    /// A thread is carrying effects out, and will see those that come meanwhile.
    var isCarryingOut = false
  }

  private let state: Locked<State>
  private let url: URL?
  /// Reads bytes of the conversation; made once, because its observer is set by the instance.
  let upstream: URLProtocolUpstream

  /// How long the end of a connection may take, once a close frame was sent or has come.
  private static let closeLimit = Duration.seconds(5)

  /// - Parameters:
  ///   - protocols: the sub-protocols that are offered, the preferred first.
  ///   - offersCompression: whether permessage-deflate is offered.
  ///   - limit: bytes of messages that may wait for the owner.
  ///   - url: what the task was made with.
  init(protocols: [String], offersCompression: Bool, limit: Int, url: URL?) {
    self.url = url
    state = Locked(
      State(
        conversation: WebSocketConversation(limit: limit, url: url),
        handshake: WebSocketHandshake(protocols: protocols, offersCompression: offersCompression)))
    let reader = Locked<WeakChannel>(WeakChannel())
    upstream = URLProtocolUpstream { buffer in reader.withLock { $0.channel }?.read(into: buffer) ?? .end }
    reader.withLock { $0.channel = self }
  }

  private struct WeakChannel { weak var channel: WebSocketChannel? }

  func attach(to load: Load) {
    state.withLock { $0.load = load }
  }

  var closeCode: URLSessionWebSocketTask.CloseCode { state.withLock { $0.conversation.closeCode } }
  var closeReason: Data? { state.withLock { $0.conversation.closeReason } }
  var maximumMessageSize: Int {
    get { state.withLock { $0.conversation.maximumMessageSize } }
    set { state.withLock { $0.conversation.maximumMessageSize = newValue } }
  }

  // MARK: Requests of the owner

  func receive(_ identity: WebSocketReceiver.Identity, _ receiver: @escaping WebSocketConversation.Receiver) {
    update { $0.receive(ObjectIdentifier(identity), receiver) }
  }

  func stopReceiving(_ identity: WebSocketReceiver.Identity) {
    update { $0.stopReceiving(ObjectIdentifier(identity)) }
  }

  func send(_ message: URLSessionWebSocketTask.Message, _ completion: @escaping WebSocketConversation.Completion) {
    update { $0.send(message, completion) }
  }

  func ping(_ completion: @escaping WebSocketConversation.Completion) { update { $0.ping(completion) } }

  func close(_ code: URLSessionWebSocketTask.CloseCode?, reason: Data?) {
    update { $0.close(code, reason: reason) }
  }

  // MARK: The load's side

  /// Makes the request one for a handshake, with a key of its own.
  func prepare(_ request: inout URLRequest) {
    state.withLock { $0.handshake.prepare(&request) }
  }

  func open(_ response: URLResponse) throws {
    let handshake = state.withLock { $0.handshake }
    guard let response = response as? HTTPURLResponse else { throw failure("the response is none of HTTP") }
    let agreement: WebSocketHandshake.Agreement
    do throws(WebSocketHandshake.Refusal) {
      agreement = try handshake.agreement(by: response)
    } catch {
      throw failure(error.words)
    }
    update {
      let machine = WebSocketMachine(maximumMessageSize: $0.maximumMessageSize, compression: agreement.compression)
      $0.open(machine, protocol: agreement.subprotocol)
    }
  }

  private func failure(_ words: String) -> URLError {
    URLError(
      .badServerResponse,
      message: "The WebSocket handshake failed: \(words). URL: \(url?.redactedDescription ?? "none").", url: url)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    update { $0.take(bytes) }
    return false
  }

  func connectionEnded(_ error: (any Error)?) -> (any Error)? {
    state.withLock { $0.conversation.connectionEnded(error) }
  }

  func end(_ error: (any Error)?) {
    let later =
      error
      ?? URLError(
        .networkConnectionLost, message: "The WebSocket is closed. URL: \(url?.redactedDescription ?? "none").",
        url: url)
    update { $0.end(later, dropsMessages: (error as? URLError)?.code == .cancelled) }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> URLProtocolUpstream.Read {
    switch update({ $0.read(into: buffer) }) {
    case nil: .end
    case 0?: .wait
    case let count?: .bytes(count)
    }
  }

  // MARK: Effects

  @discardableResult
  private func update<Result>(_ change: (inout WebSocketConversation) -> Result) -> Result {
    let result = state.withLock { change(&$0.conversation) }
    carryOut()
    return result
  }

  private func carryOut() {
    while true {
      let (effects, load) = state.withLock { state -> ([WebSocketConversation.Effect], Load?) in
        guard !state.isCarryingOut else { return ([], nil) }
        let effects = state.conversation.takeEffects()
        state.isCarryingOut = !effects.isEmpty
        return (effects, state.load)
      }
      guard !effects.isEmpty else { return }
      for effect in effects { carryOut(effect, load) }
      state.withLock { $0.isCarryingOut = false }
    }
  }

  private func carryOut(_ effect: WebSocketConversation.Effect, _ load: Load?) {
    switch effect {
    case .received(let receiver, let result): receiver(result)
    case .completed(let completion, let error): completion(error)
    case .announce: upstream.announce()
    case .buffered(let count): load?.buffered(count)
    case .consumed(let count): load?.consumed(count)
    case .opened(let name):
      load?.tellWebSocket(.opened) { $0.urlSession($1, webSocketTask: $2, didOpenWithProtocol: name) }
    case .closed(let code, let reason):
      load?.tellWebSocket(.closed) { $0.urlSession($1, webSocketTask: $2, didCloseWith: code, reason: reason) }
    case .expectEnd: load?.limitRest(to: Self.closeLimit)
    case .end(let error): load?.endDuplex(error)
    }
  }
}

extension Load {
  /// Calls the task's delegate behind what was delivered before.
  fileprivate func tellWebSocket(
    _ method: DelegateMethod,
    _ call: @escaping @Sendable (any URLSessionWebSocketDelegate, URLSession, URLSessionWebSocketTask) -> Void
  ) {
    let (delegates, task, delivery) = read {
      ($0.delegates.webSocket, $0.task as? URLSessionWebSocketTask, $0.delivery)
    }
    guard let delegates, let task, let delivery, !delegates.lacks(method) else { return }
    delivery.add { delegates.tell(method) { call($0, self.session, task) } }
  }
}
