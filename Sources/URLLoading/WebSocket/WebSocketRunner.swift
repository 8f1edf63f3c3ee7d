internal import URLLoadingBase

/// Guards a ``WebSocketConversation`` and carries out its effects.
///
/// The load retains the runner through its sink; the runner retains the load from the handshake until ``end(then:_:)``. Weak references instead
/// would move the reference counts of load and channel into side tables: 12 % of the CPU time of benchmark `M1` (medians of eight turns).
///
/// Mutable state: `connection`, guarded by its lock; the conversation's is its runner's.
final class WebSocketRunner: Sendable {
  private enum Connection {
    case none
    case open(Load)
    case ended
  }

  private let runner: EffectRunner<WebSocketConversation>
  private let announcer: UpstreamAnnouncer
  private let connection = Locked(Connection.none)

  /// How long the end of a connection may take, once a close frame was sent or has come.
  private static let closeLimit = Duration.seconds(5)

  /// - Parameter announcer: announces bytes to send.
  init(_ conversation: WebSocketConversation, _ announcer: UpstreamAnnouncer) {
    runner = EffectRunner(conversation)
    self.announcer = announcer
  }

  private var load: Load? {
    connection.withLock { if case .open(let load) = $0 { load } else { nil } }
  }

  /// Retains the load until ``end(then:_:)``.
  func connect(_ load: Load) {
    connection.withLock { if case .none = $0 { $0 = .open(load) } }
  }

  func read<Result>(_ body: (WebSocketConversation) -> sending Result) -> sending Result { runner.read(body) }

  /// Changes the conversation, and carries out the effects.
  @discardableResult
  func update<Result>(_ change: (inout WebSocketConversation) -> sending Result) -> sending Result {
    runner.update(change, carryingOut: carryOut)
  }

  /// The last change.
  /// - Parameter last: called when the effects were carried out.
  func end(then last: @escaping @Sendable () -> Void, _ change: (inout WebSocketConversation) -> sending Void) {
    runner.update(change, carryingOut: carryOut) {
      last()
      // Not released under the lock.
      let released = self.connection.withLock { exchange(&$0, with: .ended) }
      withExtendedLifetime(released) {}
    }
  }

  /// Copies the next bytes to send into a buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> URLProtocolUpstream.Read {
    switch update({ $0.read(into: buffer) }) {
    case nil: .end
    case 0?: .wait
    case let count?: .bytes(count)
    }
  }

  private func carryOut(_ effect: WebSocketConversation.Effect) {
    switch effect {
    case .received(let receiver, let result): receiver(result)
    case .completed(let completion, let error): completion(error)
    case .announce: announcer.announce()
    case .buffered(let count): load?.buffered(count)
    case .consumed(let count): load?.consumed(count)
    case .opened(let name):
      load?.tell(.opened, \.webSocket, of: URLSessionWebSocketTask.self) {
        $0.urlSession($1, webSocketTask: $2, didOpenWithProtocol: name)
      }
    case .closed(let code, let reason):
      load?.tell(.closed, \.webSocket, of: URLSessionWebSocketTask.self) {
        $0.urlSession($1, webSocketTask: $2, didCloseWith: code, reason: reason)
      }
    case .expectEnd: load?.limitRest(to: Self.closeLimit)
    case .end(let error): load?.endDuplex(error)
    }
  }
}
