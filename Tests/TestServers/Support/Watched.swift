import Dispatch
import Foundation
internal import URLLoadingBase

/// A value that several threads change and that tests wait on until it fulfils a condition.
///
/// Mutable state: the value and the list of waiters, both guarded by `state`'s lock. A waiter is
/// taken off the list under the lock and called after it, hence exactly once.
package final class Watched<Value: Sendable>: Sendable {
  private struct Waiter {
    let condition: @Sendable (Value) -> Bool
    let resume: @Sendable (Bool) -> Void
  }

  private struct State {
    var value: Value
    var waiters: [UInt64: Waiter] = [:]
    var nextIdentifier: UInt64 = 0
  }

  private let state: Locked<State>

  /// Starts with a value.
  package init(_ value: Value) {
    state = Locked(State(value: value))
  }

  /// The value now.
  package var value: Value { state.withLock { $0.value } }

  /// Reads the value with its changes locked out.
  package func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    try state.withLock { try body($0.value) }
  }

  /// Changes the value and wakes those whose condition now holds.
  @discardableResult
  package func update<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    var woken: [Waiter] = []
    let result = try state.withLock { state in
      let result = try body(&state.value)
      for (identifier, waiter) in state.waiters where waiter.condition(state.value) {
        state.waiters[identifier] = nil
        woken.append(waiter)
      }
      return result
    }
    for waiter in woken { waiter.resume(true) }
    return result
  }

  /// Waits until the condition holds. False after the timeout, or when the surrounding task is cancelled.
  package func wait(
    timeout: Duration = .seconds(60), until condition: @escaping @Sendable (Value) -> Bool
  ) async -> Bool {
    let identifier = newIdentifier()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(identifier, Waiter(condition: condition, resume: { continuation.resume(returning: $0) }))
        if Task.isCancelled {
          giveUp(identifier)
        } else {
          DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in
            self?.giveUp(identifier)
          }
        }
      }
    } onCancel: {
      giveUp(identifier)
    }
  }

  /// Waits on the calling thread, which must not belong to Swift's cooperative pool. False after the timeout.
  package func waitBlocking(
    timeout: Duration = .seconds(60), until condition: @escaping @Sendable (Value) -> Bool
  ) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    let identifier = newIdentifier()
    add(identifier, Waiter(condition: condition, resume: { _ in semaphore.signal() }))
    _ = semaphore.wait(timeout: .now() + timeout.seconds)
    giveUp(identifier)
    return read(condition)
  }

  private func newIdentifier() -> UInt64 {
    state.withLock { state in
      state.nextIdentifier += 1
      return state.nextIdentifier
    }
  }

  private func add(_ identifier: UInt64, _ waiter: Waiter) {
    let holds = state.withLock { state in
      if waiter.condition(state.value) { return true }
      state.waiters[identifier] = waiter
      return false
    }
    if holds { waiter.resume(true) }
  }

  private func giveUp(_ identifier: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
    waiter?.resume(false)
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
