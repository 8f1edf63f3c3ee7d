/// A transfer that an engine runs. All calls may come from any thread and return at once.
// Mutable state:
// - `stage`, `order`: written before anybody else knows the transfer, then touched on the loop's thread only. A command that
//   comes after the end finds nothing to do. No two accesses overlap: nothing calls out while it changes one.
package final class Transfer: Sendable, LoopErrand {
  private enum Stage {
    /// On its way to the loop.
    case new(TransferEngine)
    /// In the line of a multi handle.
    case waiting(MultiHandle, AdmissionQueue<Transfer>.Ticket, Held)
    case running(EasyHandle)
    case over
  }

  /// What was paused while the transfer waited.
  struct Held {
    var isReceivingPaused = false
    var isSendingHeld = false
  }

  private let loop: EventLoop
  // Safe: touched by one thread at a time, as said above.
  @exclusivity(unchecked)
  nonisolated(unsafe) private var stage: Stage
  @exclusivity(unchecked)
  nonisolated(unsafe) private var order: TransferOrder?

  init(loop: EventLoop, _ engine: TransferEngine, _ request: consuming TransferRequest, _ handler: any TransferHandler)
  {
    self.loop = loop
    stage = .new(engine)
    order = TransferOrder(request, handler)
  }

  // MARK: On the loop

  /// Begins.
  func run() {
    guard case .new(let engine) = stage else { return }
    stage = .over
    order?.start()
    engine.begin(self)
  }

  /// What it is asked for; nil when it is over, or runs.
  var url: String? { order?.request.url }

  /// Throws what is wrong with the request of a transfer that waits.
  func checkRequest() throws(InvalidRequest) {
    if let order { try RequestRules.check(order.request) }
  }

  /// It waits from now on, with its order.
  func wait(in multi: MultiHandle, _ ticket: AdmissionQueue<Transfer>.Ticket) {
    stage = .waiting(multi, ticket, Held())
  }

  /// It waits no longer. Nil when there is nothing to do any more.
  func takeOrder() -> (order: TransferOrder, held: Held)? {
    var held = Held()
    if case .waiting(_, _, let noted) = stage { held = noted }
    stage = .over
    return order.take().map { ($0, held) }
  }

  /// Ends a transfer that libcurl does not have.
  func fail(_ failure: TransferFailure) {
    guard let (order, _) = takeOrder() else { return }
    order.fail(self, failure)
  }

  /// Connects the transfer with the handle that runs it, or with none.
  func attach(_ handle: EasyHandle?) {
    stage = handle.map { .running($0) } ?? .over
  }

  private var handle: EasyHandle? {
    if case .running(let handle) = stage { handle } else { nil }
  }

  private func leaveLine() {
    guard case .waiting(let multi, let ticket, _) = stage else { return }
    stage = .over
    order = nil
    multi.leaveLine(ticket)
  }

  /// Notes what is paused, if the transfer waits.
  private func hold(_ change: (inout Held) -> Void) {
    guard case .waiting(let multi, let ticket, var held) = stage else { return }
    change(&held)
    stage = .waiting(multi, ticket, held)
  }

  // MARK: Commands

  /// Ends the transfer without a completion: its handler gets no more calls once this has taken effect on the loop.
  /// Calls after the first, and after the completion, do nothing.
  ///
  /// - Parameter count: How many bytes of the body may still be received and thrown away so that the
  ///   connection can be used again. A longer rest costs the connection.
  package func cancel(discardingUpTo count: Int = 0) {
    if loop.isCurrentThread {
      // From a callback: libcurl may have more to tell before the command has its turn.
      handle?.silence()
      leaveLine()
    }
    loop.execute {
      self.handle?.cancel(discardingUpTo: count)
      self.leaveLine()
    }
  }

  /// Stops reading from the connection. Bytes that are on their way may still be delivered, unless this is called from
  /// one of the handler's methods.
  package func pauseReceiving() {
    if loop.isCurrentThread { handle?.refuseBody() }
    perform({ $0.pauseReceiving() }, whileWaiting: { $0.isReceivingPaused = true })
  }

  /// Undoes `pauseReceiving()` and a `TransferFlow.pause`.
  package func resumeReceiving() {
    perform({ $0.resumeReceiving() }, whileWaiting: { $0.isReceivingPaused = false })
  }

  /// Stops reading from the connection and writing to it. Bytes that are on their way may still go either way, but that none are
  /// delivered any more when this is called from one of the handler's methods.
  package func pause() {
    if loop.isCurrentThread { handle?.refuseBody() }
    perform({ $0.pause() }, whileWaiting: { $0 = Held(isReceivingPaused: true, isSendingHeld: true) })
  }

  /// Undoes `pause()` and what `resumeReceiving()` undoes.
  package func resume() {
    perform({ $0.resume() }, whileWaiting: { $0 = Held() })
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

  private func perform(
    _ command: @escaping @Sendable (EasyHandle) -> Void, whileWaiting note: (@Sendable (inout Held) -> Void)? = nil
  ) {
    loop.execute {
      if let handle = self.handle { return command(handle) }
      if let note { self.hold(note) }
    }
  }
}
