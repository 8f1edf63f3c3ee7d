import URLLoading

// Safe to share: `state` is touched only while `condition` is locked.
/// Makes a sender wait until the pause that was decided has been told to its instance.
///
/// The session decides on a pause while a piece is given to it, and tells the instance on whatever thread is at it: on busy
/// machines that may be long after, and a quick source has sent all by then. That would be nothing to reproach the class with.
///
/// Mutable state: `state`, guarded by `condition`.
final class Pauses: @unchecked Sendable {
  private struct State {
    var isPaused = false
    var isStopped = false
    var startingThread: pthread_t?
  }

  private let condition = NSCondition()
  private var state = State()

  func willStart() { change { $0.startingThread = pthread_self() } }
  func didStart() { change { $0.startingThread = nil } }
  func didPause() { change { $0.isPaused = true } }
  func willResume() { change { $0.isPaused = false } }
  func didStop() { change { $0.isStopped = true } }

  private func change(_ body: (inout State) -> Void) {
    condition.lock()
    body(&state)
    condition.unlock()
    condition.broadcast()
  }

  /// Returns when the instance knows of the pause, if there is one. What is sent from within `startLoading()` cannot be told.
  func waitUntilTold(_ isDecided: () -> Bool) {
    let end = Date(timeIntervalSinceNow: FlowLimits.telling)
    condition.lock()
    defer { condition.unlock() }
    while !state.isPaused, !state.isStopped, Date() < end {
      if let thread = state.startingThread, pthread_equal(thread, pthread_self()) != 0 { return }
      condition.unlock()
      let waits = isDecided()
      condition.lock()
      guard waits, !state.isPaused, !state.isStopped else { return }
      // Nobody tells of a pause that was taken back: look again.
      _ = condition.wait(until: min(end, Date(timeIntervalSinceNow: 0.01)))
    }
  }
}
