internal import URLLoadingBase

/// Runs the steps of a protocol whose reads may block: on a pool of threads, one after another, and none while the load's gate is
/// closed. After some steps the thread is yielded to other queued work, so that none starves.
///
/// Mutable state: `state`, guarded by its lock.
final class ChunkPump: Sendable {
  /// The result of a step.
  enum Step {
    /// There is more to do.
    case more
    /// There is nothing to read now; ``ChunkPump/wake()`` will be called.
    case wait
    /// That was the last step.
    case done
  }

  private struct State {
    var step: (@Sendable () -> Step)?
    var gate: URLProtocolGate?
    var isRunning = false
    var isWaiting = false
    /// ``ChunkPump/wake()`` was called while the step ran.
    var isWoken = false
    var isStopped = false
    var pool: BlockingPool

    var isDue: Bool { !isWaiting && step != nil && gate?.isOpen != false }
  }

  private static let stepsInARow = 16
  private let state: Locked<State>

  /// - Parameter pool: whose threads run the steps.
  init(pool: BlockingPool = .engines) {
    state = Locked(State(pool: pool))
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// From the next step on, uses a pool with enough threads for steps that wait long.
  func expectLongSteps() {
    state.withLock { $0.pool = .streams }
  }

  /// Runs steps only while `gate` is open. Called before the first ``start(_:)``.
  func follow(_ gate: URLProtocolGate?) {
    state.withLock { $0.gate = gate }
    gate?.observe { [weak self] isOpen in if isOpen { self?.run() } }
  }

  /// Begins to run `step` until it is done.
  func start(_ step: @escaping @Sendable () -> Step) {
    state.withLock { if !$0.isStopped { $0.step = step } }
    run()
  }

  /// There is something to read for a step that returned `wait`.
  func wake() {
    state.withLock { state in
      state.isWaiting = false
      state.isWoken = true
    }
    run()
  }

  /// Releases the step; one that is running ends first.
  func stop() {
    let released = state.withLock { state in
      state.isStopped = true
      defer { state.step = nil }
      return state.step
    }
    _ = released
  }

  private func run() {
    let pool = state.withLock { state -> BlockingPool? in
      guard !state.isRunning, state.isDue else { return nil }
      state.isRunning = true
      return state.pool
    }
    if let pool { pool.run { self.pump(on: pool) } }
  }

  private func pump(on pool: BlockingPool) {
    repeat {
      for _ in 0..<Self.stepsInARow {
        let (step, isElsewhere) = state.withLock { state -> ((@Sendable () -> Step)?, Bool) in
          guard state.isDue, let step = state.step else {
            state.isRunning = false
            return (nil, false)
          }
          state.isWoken = false
          return (step, state.pool !== pool)
        }
        // The gate may have opened after the look at it, when its observer saw a pump that runs.
        guard let step else { return run() }
        if isElsewhere { break }
        switch step() {
        case .more: break
        case .wait: state.withLock { $0.isWaiting = !$0.isWoken }
        case .done: state.withLock { $0.step = nil }
        }
      }
    } while state.withLock { $0.pool === pool } && !pool.hasWaitingWork
    let next = state.withLock { $0.pool }
    next.run { self.pump(on: next) }
  }
}
