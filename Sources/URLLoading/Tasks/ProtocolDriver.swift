internal import URLLoadingBase

/// Calls the instance methods of one protocol instance: in order, one at a time, and none after `stopLoading`.
///
/// A class that declares that it starts without blocking is called on the thread that has the command; others get a thread of a
/// pool, where a `startLoading` that sends from within is held back while the load is paused.
///
/// Mutable state: `state`, guarded by its lock.
final class ProtocolDriver: Sendable {
  enum Command { case start, pause, resume, stop }

  // Safe to share: pthread_t is an identifier here, compared only.
  private struct State: @unchecked Sendable {
    var hasStarted = false
    var isRunning = false
    /// What was commanded last.
    var wantsPause = false
    /// What the instance was told last.
    var isPaused = false
    var wantsStop = false
    var isStopped = false
    var startingThread: pthread_t?
    var waiter: DispatchSemaphore?

    /// What the instance is to be told next. Pauses that were taken back meanwhile are not told.
    var next: Command? {
      if isStopped { return nil }
      if wantsStop { return hasStarted ? .stop : nil }
      if !hasStarted { return .start }
      return wantsPause == isPaused ? nil : wantsPause ? .pause : .resume
    }
  }

  private let state = Locked(State())
  private let instance: URLProtocol
  private let blocks: Bool
  /// Where a loading function's writes wait. It is closed and opened by the command itself: the thread that calls the
  /// instance may be late, and a function that nothing holds back would fill the memory meanwhile.
  private let gate: FlowGate?

  /// Whether an instance may be made to wait within its `startLoading`.
  static func blocks(_ protocolClass: URLProtocol.Type) -> Bool {
    !protocolClass.capabilities.contains(.startsWithoutBlocking)
  }

  /// Makes a driver whose first command is to start; nothing happens before ``run()``.
  /// - Parameter blocks: what ``blocks(_:)`` says of its class.
  init(_ instance: URLProtocol, blocks: Bool) {
    self.instance = instance
    self.blocks = blocks
    gate = (instance as? AsyncURLProtocol)?.gate
  }

  /// Takes a command. A stop that comes before the start was carried out cancels both.
  func post(_ command: Command) {
    let waiter = state.withLock { state -> DispatchSemaphore? in
      switch command {
      case .start: break
      case .pause: state.wantsPause = true
      case .resume: state.wantsPause = false
      case .stop: state.wantsStop = true
      }
      if let gate, state.isPaused != state.wantsPause {
        state.isPaused = state.wantsPause
        if state.isPaused { gate.close() } else { gate.open() }
      }
      guard state.wantsStop || !state.wantsPause else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.signal()
  }

  /// Carries out what was commanded, unless another thread is at it. Called without locks held.
  func run() {
    let runs = state.withLock { state in
      guard !state.isRunning, state.next != nil else { return false }
      state.isRunning = true
      return true
    }
    guard runs else { return }
    if blocks { BlockingPool.protocols.run { self.drain() } } else { drain() }
  }

  /// Waits while the load is paused, if the caller is the instance's own `startLoading`.
  func waitWhilePaused() {
    while true {
      let waiter = state.withLock { state -> DispatchSemaphore? in
        guard blocks, state.wantsPause, !state.wantsStop, let thread = state.startingThread,
          pthread_equal(thread, pthread_self()) != 0
        else { return nil }
        let waiter = DispatchSemaphore(value: 0)
        state.waiter = waiter
        return waiter
      }
      guard let waiter else { return }
      waiter.wait()
    }
  }

  private func drain() {
    while true {
      let command = state.withLock { state -> Command? in
        let command = state.next
        state.startingThread = nil
        switch command {
        case nil: state.isRunning = false
        case .start:
          state.hasStarted = true
          state.startingThread = pthread_self()
        case .pause: state.isPaused = true
        case .resume: state.isPaused = false
        case .stop: state.isStopped = true
        }
        return command
      }
      switch command {
      case nil: return
      case .start: instance.startLoading()
      case .pause: (instance as? any URLProtocolPausing)?.pauseLoading()
      case .resume: (instance as? any URLProtocolPausing)?.resumeLoading()
      case .stop:
        // The last command: nothing comes after it.
        return instance.stopLoading()
      }
    }
  }
}
