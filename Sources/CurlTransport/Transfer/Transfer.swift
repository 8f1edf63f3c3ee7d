import Foundation
internal import URLLoadingBase

/// A transfer that an engine runs. All calls may come from any thread and return at once.
// Mutable state:
// - `stage`, `handler`, `body`, `startTime`, `startInstant`: written before anybody else knows the transfer, then touched on the loop's
//   thread only. A command that comes after the end finds nothing to do. No two accesses overlap: nothing calls out while it
//   changes one.
package final class Transfer: Sendable {
  private enum Stage {
    /// On its way to the loop.
    case new(TransferEngine)
    /// In the line of a multi handle.
    case waiting(MultiHandle, AdmissionQueue<Transfer>.Ticket, isPaused: Bool)
    // Unretained: a handle leaves its transfer before it goes.
    case running(Unmanaged<EasyHandle>)
    case over
  }

  /// The request, without the body. The loop reads it here: a copy of its own would count references that other threads count, too.
  let request: TransferRequest

  // Unowned: the two loops never end.
  private unowned(unsafe) let loop: EventLoop
  // Safe, these five: touched by one thread at a time, as said above.
  nonisolated(unsafe) private var stage: Stage
  /// Nil when it is over, or runs.
  nonisolated(unsafe) private var handler: (any TransferHandler)?
  /// Taken by the handle that sends it: it may be large, and refer to the transfer.
  nonisolated(unsafe) private var body: TransferRequest.Body
  /// When the engine began with it, in seconds since 1970.
  nonisolated(unsafe) private(set) var startTime = 0.0
  /// The same on the monotonic clock.
  nonisolated(unsafe) private(set) var startInstant = MonotonicInstant.distantFuture

  init(loop: EventLoop, _ engine: TransferEngine, _ request: consuming TransferRequest, _ handler: any TransferHandler)
  {
    self.loop = loop
    body = request.takeBody()
    self.request = consume request
    self.handler = handler
    stage = .new(engine)
  }

  // MARK: On the loop

  /// Begins.
  func run() {
    guard case .new(let engine) = exchange(&stage, with: .over) else { return }
    recordStart()
    guard let multi = engine.openMulti(for: request.pool) else {
      return fail(TransferFailure(engine.isShutDown ? .engineShutDown : WakeupPair.shortage))
    }
    multi.begin(self)
  }

  private func recordStart() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    startTime = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    startInstant = .now
  }

  /// The transfer waits for a connection.
  func wait(in multi: MultiHandle, _ ticket: AdmissionQueue<Transfer>.Ticket) {
    stage = .waiting(multi, ticket, isPaused: false)
  }

  /// What a running transfer's handle owns.
  struct Work {
    let handler: any TransferHandler
    let body: TransferRequest.Body
    /// It was paused while it waited.
    var isPaused = false
  }

  /// Ends the waiting. Nil when the transfer is over.
  func takeWork() -> Work? {
    guard let handler = handler.take() else { return nil }
    var work = Work(handler: handler, body: exchange(&body, with: .none))
    if case .waiting(_, _, let isPaused) = stage { work.isPaused = isPaused }
    stage = .over
    return work
  }

  /// Fails a transfer that libcurl does not have.
  func fail(_ failure: TransferFailure) {
    if case .new = stage { recordStart() }
    if let work = takeWork() { fail(failure, to: work.handler) }
  }

  /// Reports the failure of a transfer that libcurl never had.
  func fail(_ failure: TransferFailure, to handler: any TransferHandler) {
    var failure = failure
    failure.metrics = TransferMetrics()
    failure.metrics.start = Date(timeIntervalSince1970: startTime)
    handler.transfer(self, didCompleteWith: .failure(failure))
  }

  /// Connects the transfer with the handle that runs it, or with none.
  func attach(_ handle: EasyHandle?) {
    stage = handle.map { .running(.passUnretained($0)) } ?? .over
  }

  private var handle: EasyHandle? {
    if case .running(let handle) = stage { handle.takeUnretainedValue() } else { nil }
  }

  private func leaveLine() {
    guard case .waiting(let multi, let ticket, _) = stage else { return }
    stage = .over
    handler = nil
    body = .none
    multi.leaveLine(ticket)
  }

  // MARK: Commands

  /// Ends the transfer without a completion: its handler gets no more calls once this has taken effect on the loop.
  /// Calls after the first, and after the completion, do nothing.
  ///
  /// - Parameter count: How many bytes of the body may still be received and thrown away so that the
  ///   connection can be used again. A longer rest costs the connection.
  package func cancel(discardingUpTo count: Int = 0) {
    if loop.isCurrentThread {
      // From a callback: libcurl may make more calls before the command runs.
      handle?.silence()
      leaveLine()
    }
    loop.execute {
      self.handle?.cancel(discardingUpTo: count)
      self.leaveLine()
    }
  }

  /// Stops reading from the connection and writing to it. Bytes that are on their way may still go either way, but that none are
  /// delivered any more when this is called from one of the handler's methods.
  package func pause() {
    if loop.isCurrentThread { handle?.refuseBody() }
    setPaused(true)
  }

  /// Undoes `pause()` and a `TransferFlow.pause`.
  package func resume() {
    setPaused(false)
  }

  private func setPaused(_ isPaused: Bool) {
    loop.execute {
      if case .waiting(let multi, let ticket, _) = self.stage {
        self.stage = .waiting(multi, ticket, isPaused: isPaused)
      } else if isPaused {
        self.handle?.pause()
      } else {
        self.handle?.resume()
      }
    }
  }

  /// Asks the body source again after it said `BodyRead.wait`.
  package func resumeSending() {
    perform { $0.resumeSending() }
  }

  /// Answers ``TransferHandler/transfer(_:asksToTrust:)``. A peer that is not accepted fails the transfer.
  package func resolveTrust(accepts: Bool) {
    perform { $0.resolveTrust(accepts: accepts) }
  }

  /// Continues decoding in the loop's next turn.
  func continueDecoding() {
    perform { $0.continueDecoding() }
  }

  /// Continues with a connection's bytes in the loop's next turn.
  func continueConnection() {
    perform { $0.continueConnection() }
  }

  /// Makes libcurl open an FTP data connection after its current call.
  func openDataConnection() {
    perform { $0.openDataConnection() }
  }

  /// What is known about the transfer so far; nil elsewhere than in one of the handler's methods.
  package var currentMetrics: TransferMetrics? { loop.isCurrentThread ? handle?.metrics() : nil }

  private func perform(_ command: @escaping @Sendable (EasyHandle) -> Void) {
    loop.execute { if let handle = self.handle { command(handle) } }
  }
}
