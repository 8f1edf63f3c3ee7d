internal import URLLoadingBase

/// Where the writes of a loading function wait while the load is paused.
///
/// Mutable state: `state`, guarded by its lock.
final class FlowGate: Sendable {
  private struct State {
    var isClosed = false
    var isAbandoned = false
    var waiters: [UnsafeContinuation<Void, Never>] = []
    var onAbandoned: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  func close() {
    state.withLock { if !$0.isAbandoned { $0.isClosed = true } }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isClosed = false
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The load has ended: the gate stays open, and whoever waits for something else is let go.
  func abandon() {
    let action = state.withLock { state in
      state.isAbandoned = true
      defer { state.onAbandoned = nil }
      return state.onAbandoned
    }
    open()
    action?()
  }

  /// Runs `action` when the load ends; at once if it has.
  func whenAbandoned(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isAbandoned { state.onAbandoned = action }
      return state.isAbandoned
    }
    if isLate { action() }
  }

  /// Returns when the gate is open.
  /// - Throws: `CancellationError` when the load has ended.
  func wait() async throws {
    await withUnsafeContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.isClosed { state.waiters.append(continuation) }
        return !state.isClosed
      }
      if isOpen { continuation.resume() }
    }
    // A loading function may write from tasks of its own, which nobody cancels.
    guard !state.withLock({ $0.isAbandoned }) else { throw CancellationError() }
    try Task.checkCancellation()
  }
}
