internal import URLLoadingBase

/// Starts one protocol instance, stops it and releases it: in this order, each once at most, and not at the same time.
///
/// The instance is released here, where no lock is held: its `deinit` may use its task.
///
/// A class that declares ``URLProtocol/Capabilities/nonblocking`` is called on the thread that has the command; others get a thread of
/// a pool, where a `startLoading` that sends from within waits while the gate is closed.
///
/// Mutable state: `state`, guarded by its lock.
final class ProtocolDriver: Sendable {
  private struct State {
    var hasStarted = false
    var isRunning = false
    var wantsStop = false
    var hasStopped = false
    var hasReleased = false

    /// The next call to the instance. A stop that comes before the start cancels both.
    mutating func takeCall() -> Call? {
      if wantsStop {
        if hasStarted, !hasStopped {
          hasStopped = true
          return .stop
        }
        guard !hasReleased else { return nil }
        hasReleased = true
        return .release
      }
      guard !hasStarted else { return nil }
      hasStarted = true
      return .start
    }
  }

  private enum Call { case start, stop, release }

  /// Who is called.
  private enum Callee {
    case instance(URLProtocol)
    /// A load that has begun without an instance.
    case direct(any URLDirectLoad)
  }

  /// The gate by which this attempt is paused (back-pressure).
  let gate: URLProtocolGate
  private let state = Locked(State(), rank: .protocolDriver)
  // Safe to share: never used by two threads at once, see `isRunning`.
  /// Nil after its release.
  private nonisolated(unsafe) var callee: Callee?
  private let blocks: Bool

  /// Whether an instance may block where it is called.
  static func blocks(_ protocolClass: URLProtocol.Type) -> Bool {
    !protocolClass.capabilities.contains(.nonblocking)
  }

  /// Makes a driver whose first call is the start; nothing happens before ``run()``.
  init(_ instance: URLProtocol, gate: URLProtocolGate) {
    callee = .instance(instance)
    self.gate = gate
    blocks = Self.blocks(type(of: instance))
  }

  /// Makes a driver of a direct load, which has begun; the gate pauses it.
  init(_ load: any URLDirectLoad) {
    callee = .direct(load)
    gate = URLProtocolGate()
    blocks = false
    state.withLock { $0.hasStarted = true }
    gate.observe { load.setPaused(!$0) }
  }

  /// The instance is to be stopped, and its gate ended; ``run()`` does it.
  func stop() {
    state.withLock { $0.wantsStop = true }
    gate.end()
  }

  /// Carries out the pending commands, including changes of the gate. Called without locks held.
  func run() {
    gate.announce()
    let isDue = state.withLock { state in
      guard !state.isRunning, !state.hasReleased, !state.hasStarted || state.wantsStop else { return false }
      state.isRunning = true
      return true
    }
    guard isDue else { return }
    @Sendable func carryOut() {
      while let call = takeCall() {
        switch (call, callee) {
        case (.start, .instance(let instance)) where blocks: gate.asProducer { instance.startLoading() }
        case (.start, .instance(let instance)): instance.startLoading()
        case (.stop, .instance(let instance)): instance.stopLoading()
        case (.stop, .direct(let load)): load.stop()
        case (.release, _): callee = nil
        case (_, nil), (.start, .direct): break
        }
      }
    }
    if blocks { BlockingPool.protocols.run(carryOut) } else { carryOut() }
  }

  private func takeCall() -> Call? {
    state.withLock { state in
      let call = state.takeCall()
      if call == nil { state.isRunning = false }
      return call
    }
  }
}
