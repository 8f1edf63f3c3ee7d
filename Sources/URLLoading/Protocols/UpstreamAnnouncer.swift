internal import URLLoadingBase

/// Calls the observer of a ``URLProtocolUpstream``. Separate from the upstream, which retains its reader: the reader's owner references the
/// announcer without a cycle.
///
/// Mutable state: `state`, guarded by its lock.
final class UpstreamAnnouncer: Sendable {
  private struct State {
    var observer: (@Sendable () -> Void)?
    /// Bytes were announced while there was no observer.
    var hasMissed = false
    /// The observer's.
    var attempt = 0
  }

  private let state = Locked(State())

  /// Replaces the observer, and calls it at once if it has missed a call.
  /// - Parameter attempt: the attempt of the load that observes; an earlier one than the observer's replaces nothing.
  func observe(_ observer: @escaping @Sendable () -> Void, attempt: Int) {
    let hasMissed = state.withLock { state in
      guard attempt >= state.attempt else { return false }
      state.attempt = attempt
      state.observer = observer
      return exchange(&state.hasMissed, with: false)
    }
    if hasMissed { observer() }
  }

  /// Calls the observer.
  func announce() {
    let observer = state.withLock { state in
      if state.observer == nil { state.hasMissed = true }
      return state.observer
    }
    observer?()
  }
}
