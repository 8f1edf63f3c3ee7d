internal import CurlTransport

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
    var commands: [Command] = []
    var isRunning = false
    var hasStarted = false
    var isStopped = false
    var isPaused = false
    var startingThread: pthread_t?
    var waiter: DispatchSemaphore?
  }

  private let state = Locked(State())
  private let instance: URLProtocol
  private let blocks: Bool

  /// Makes a driver whose first command is to start; nothing happens before ``run()``.
  init(_ instance: URLProtocol) {
    self.instance = instance
    blocks = !type(of: instance).capabilities.contains(.startsWithoutBlocking)
    state.withLock { $0.commands.append(.start) }
  }

  /// Queues a command. A stop that comes before the start was carried out cancels both.
  func post(_ command: Command) {
    let waiter = state.withLock { state -> DispatchSemaphore? in
      guard !state.isStopped else { return nil }
      switch command {
      case .start: return nil
      case .pause: state.isPaused = true
      case .resume: state.isPaused = false
      case .stop:
        state.isStopped = true
        state.isPaused = false
      }
      if command == .stop, !state.hasStarted {
        state.commands.removeAll()
      } else {
        state.commands.append(command)
      }
      guard !state.isPaused else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.signal()
  }

  /// Carries out what is queued, unless another thread is at it. Called without locks held.
  func run() {
    let runs = state.withLock { state in
      guard !state.isRunning, !state.commands.isEmpty else { return false }
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
        guard blocks, state.isPaused, let thread = state.startingThread, pthread_equal(thread, pthread_self()) != 0
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
        guard !state.commands.isEmpty else {
          state.isRunning = false
          return nil
        }
        let command = state.commands.removeFirst()
        if command == .start {
          state.hasStarted = true
          state.startingThread = pthread_self()
        }
        return command
      }
      switch command {
      case nil: return
      case .start:
        instance.startLoading()
        state.withLock { $0.startingThread = nil }
      case .pause: instance.pauseLoading()
      case .resume: instance.resumeLoading()
      case .stop: instance.stopLoading()
      }
    }
  }
}
