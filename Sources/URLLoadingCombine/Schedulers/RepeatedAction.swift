internal import URLLoadingBase

/// An action that a timer repeats on a queue: it waits there once at most, however slow the queue is, and is silent when cancelled.
///
/// Mutable state: `state`, guarded by its lock.
final class RepeatedAction: Sendable {
  private struct State {
    var isWaiting = false
    /// Nil when cancelled.
    var action: ScheduledAction?
  }

  private let state: Locked<State>

  init(_ action: @escaping () -> Void) {
    state = Locked(State(action: ScheduledAction(action)))
  }

  /// Whether the action has to be put into the queue, for another run.
  func isDue() -> Bool {
    state.withLock { state in
      guard !state.isWaiting, state.action != nil else { return false }
      state.isWaiting = true
      return true
    }
  }

  func run() {
    let action = state.withLock { state in
      state.isWaiting = false
      return state.action
    }
    action?.run()
  }

  func cancel() {
    // Released after the lock: it captures user-provided objects.
    let action = state.withLock { $0.action.take() }
    withExtendedLifetime(action) {}
  }
}
