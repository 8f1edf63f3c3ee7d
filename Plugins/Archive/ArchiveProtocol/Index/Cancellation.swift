internal import URLLoadingBase

/// Ends the waits of one consumer, from any thread.
///
/// Mutable state: `state`, guarded by its lock.
final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    var actions: [Int: @Sendable () -> Void] = [:]
    var nextAction = 0
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    let actions = state.withLock { state in
      state.isCancelled = true
      defer { state.actions = [:] }
      return state.actions
    }
    for action in actions.values { action() }
  }

  /// Runs `action` at the cancellation; at once if that was before.
  /// - Returns: the number of the action.
  @discardableResult
  func onCancel(_ action: @escaping @Sendable () -> Void) -> Int {
    let (number, isCancelled) = state.withLock { state in
      state.nextAction += 1
      if !state.isCancelled { state.actions[state.nextAction] = action }
      return (state.nextAction, state.isCancelled)
    }
    if isCancelled { action() }
    return number
  }

  /// Runs `body`, and `action` at a cancellation in the meantime.
  func onCancel<Result>(
    _ action: @escaping @Sendable () -> Void, during body: () throws -> Result
  ) rethrows -> Result {
    let number = onCancel(action)
    defer { state.withLock { $0.actions[number] = nil } }
    return try body()
  }
}
