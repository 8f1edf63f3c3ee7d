internal import URLLoadingBase

/// A call of a vault, which is answered once: by its own end, or when its time is up.
///
/// Mutable state: `state`, guarded by its lock.
final class VaultCall<Cancellation: Sendable>: Sendable {
  private enum State: Sendable {
    case waiting
    case running(Cancellation)
    case answered
  }

  /// What its time has met when it was up.
  enum Expiry: Sendable {
    /// It was answered already.
    case late
    /// It has not begun, and never will.
    case waiting
    /// It runs; this ends it.
    case running(Cancellation)
  }

  private let state = Locked(State.waiting)

  /// Begins the call.
  /// - Returns: whether anybody still waits for it.
  func begin(_ cancellation: Cancellation) -> Bool {
    state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running(cancellation)
      return true
    }
  }

  /// Ends the call.
  /// - Returns: whether its result is the answer.
  func end() -> Bool {
    state.withLock { state in
      defer { state = .answered }
      if case .answered = state { return false }
      return true
    }
  }

  /// Ends the call because its time is up.
  func expire() -> Expiry {
    state.withLock { state in
      defer { state = .answered }
      switch state {
      case .waiting: return .waiting
      case .running(let cancellation): return .running(cancellation)
      case .answered: return .late
      }
    }
  }
}
