/// A transfer that an engine runs. All calls may come from any thread and return at once.
// Mutable state:
// - `beginning`: written before anybody else knows the transfer, taken on the loop's thread.
// - `handle`: touched on the loop's thread only. It is set when the transfer begins and cleared when it ends, so a command
//   that comes late finds nothing to do.
package final class Transfer: Sendable, LoopErrand {
  private let loop: EventLoop
  nonisolated(unsafe) private var beginning:
    (engine: TransferEngine, request: TransferRequest, handler: any TransferHandler)?
  nonisolated(unsafe) private var handle: EasyHandle?

  init(loop: EventLoop, _ engine: TransferEngine, _ request: TransferRequest, _ handler: any TransferHandler) {
    self.loop = loop
    beginning = (engine, request, handler)
  }

  /// Begins. Loop thread only.
  func run() {
    guard let (engine, request, handler) = beginning.take() else { return }
    engine.assumeIsolated { $0.begin(self, request, handler) }
  }

  /// Ends the transfer without a completion: its handler gets no more calls once this has taken effect on the loop.
  /// Calls after the first, and after the completion, do nothing.
  ///
  /// - Parameter count: How many bytes of the body may still be received and thrown away so that the
  ///   connection can be used again. A longer rest costs the connection.
  package func cancel(discardingUpTo count: Int = 0) {
    // From a callback: libcurl may have more to tell before the command has its turn.
    if loop.isCurrentThread { handle?.silence() }
    perform { $0.cancel(discardingUpTo: count) }
  }

  /// Stops reading from the connection. Bytes that are on their way may still be delivered, unless this is called from
  /// one of the handler's methods.
  package func pauseReceiving() {
    if loop.isCurrentThread { handle?.refuseBody() }
    perform { $0.pauseReceiving() }
  }

  /// Undoes `pauseReceiving()` and a `TransferFlow.pause`.
  package func resumeReceiving() {
    perform { $0.resumeReceiving() }
  }

  /// Stops reading from the connection and writing to it. Bytes that are on their way may still go either way.
  package func pause() {
    perform { $0.pause() }
  }

  /// Undoes `pause()` and what `resumeReceiving()` undoes.
  package func resume() {
    perform { $0.resume() }
  }

  /// Asks the body source again after it said `BodyRead.wait`.
  package func resumeSending() {
    perform { $0.resumeSending() }
  }

  /// Goes on with decoding in the loop's next turn.
  func continueDecoding() {
    perform { $0.continueDecoding() }
  }

  /// Has libcurl open an FTP data connection, once it is done with what it does now.
  func openDataConnection() {
    perform { $0.openDataConnection() }
  }

  /// What is known about the transfer so far; nil elsewhere than in one of the handler's methods.
  package var currentMetrics: TransferMetrics? { loop.isCurrentThread ? handle?.metrics() : nil }

  private func perform(_ command: @escaping @Sendable (EasyHandle) -> Void) {
    loop.execute {
      if let handle = self.handle { command(handle) }
    }
  }

  /// Connects the transfer with the handle that runs it, or with none. Loop thread only.
  func attach(_ handle: EasyHandle?) {
    self.handle = handle
  }
}
