import Foundation

/// Where a thread that sends a body waits while the consumer is slow, and what tells it that nobody listens any more.
///
/// Mutable state: `state`, guarded by `condition`.
// Safe to share: `state` is touched only while `condition` is locked.
final class ConsumerGate: @unchecked Sendable {
  private struct State {
    var isPaused = false
    var isStopped = false
    var onStop: [@Sendable () -> Void] = []
  }

  private let condition = NSCondition()
  private var state = State()

  var isStopped: Bool {
    condition.lock()
    defer { condition.unlock() }
    return state.isStopped
  }

  func pause() {
    condition.lock()
    state.isPaused = true
    condition.unlock()
  }

  func resume() {
    condition.lock()
    state.isPaused = false
    condition.broadcast()
    condition.unlock()
  }

  /// Ends all waiting, and runs what ``whenStopped(_:)`` was given.
  func stop() {
    condition.lock()
    state.isStopped = true
    let actions = state.onStop
    state.onStop = []
    condition.broadcast()
    condition.unlock()
    for action in actions { action() }
  }

  /// Runs `action` at the stop; at once if that was before.
  func whenStopped(_ action: @escaping @Sendable () -> Void) {
    condition.lock()
    let isLate = state.isStopped
    if !isLate { state.onStop.append(action) }
    condition.unlock()
    if isLate { action() }
  }

  /// Waits while the consumer is slow.
  /// - Parameter isPauseOnItsWay: asks whether a pause was decided that has not been told yet.
  /// - Throws: ``ArchiveError/cancelled`` when nobody listens.
  func pass(_ isPauseOnItsWay: () -> Bool) throws {
    while true {
      let waits = isPauseOnItsWay()
      condition.lock()
      // A pause that is taken back before it was told is never told: look again.
      if waits, !state.isPaused, !state.isStopped { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.01)) }
      while state.isPaused, !state.isStopped { condition.wait() }
      let isStopped = state.isStopped
      condition.unlock()
      if isStopped { throw ArchiveError.cancelled }
      if !waits { return }
    }
  }
}
