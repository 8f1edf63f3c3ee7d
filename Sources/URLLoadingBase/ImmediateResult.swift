/// Calls a function that passes its result to a completion handler, possibly before it returns.
///
/// A result that is known at once is returned, so that the caller continues where it is, and not in a nested call. One that another thread
/// passes while the function runs is returned, too.
/// - Parameters:
///   - function: gets the handler. Calls of it after the first are ignored.
///   - later: gets the result where the handler is called after the function has returned.
/// - Returns: the result where the handler was called before; nil otherwise.
@inlinable
package func immediateResult<Value: Sendable>(
  of function: (_ handler: @escaping @Sendable (Value) -> Void) -> Void,
  otherwise later: @escaping @Sendable (Value) -> Void
) -> Value? {
  let pending = PendingResult<Value>()
  function { value in pending.handled(value)?(value) }
  return pending.returned(later)
}

/// The result of one call.
///
/// Mutable state: `state`, guarded by its lock.
@usableFromInline
final class PendingResult<Value: Sendable>: Sendable {
  @usableFromInline
  enum State {
    /// The function has not returned.
    case calling
    /// The handler was called before the function has returned.
    case known(Value)
    /// The function has returned; the handler was not called.
    case awaited(@Sendable (Value) -> Void)
    case over
  }

  @usableFromInline let state = Locked(State.calling)

  @inlinable
  init() {}

  /// The handler was called.
  /// - Returns: what gets the value; nil where the caller does, and after the first call.
  @inlinable
  func handled(_ value: Value) -> (@Sendable (Value) -> Void)? {
    state.withLock { state in
      switch state {
      case .calling:
        state = .known(value)
        return nil
      case .awaited(let later):
        state = .over
        return later
      case .known, .over: return nil
      }
    }
  }

  /// The function has returned.
  /// - Returns: the value that the handler got by then.
  @inlinable
  func returned(_ later: @escaping @Sendable (Value) -> Void) -> Value? {
    state.withLock { state in
      if case .known(let value) = exchange(&state, with: .over) { return value }
      state = .awaited(later)
      return nil
    }
  }
}
