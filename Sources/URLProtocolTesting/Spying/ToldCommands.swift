import URLLoading

// Safe to share: `state` is touched only while `condition` is locked.
/// Makes a sender wait until what was decided has been told to its instance.
///
/// A session decides on a pause or a stop while a piece is given to it, and tells the instance on whatever thread is at it: on
/// busy machines that may be long after, and a quick source has sent all by then. That would be nothing to reproach the class
/// with.
///
/// Mutable state: `state`, guarded by `condition`.
final class ToldCommands: @unchecked Sendable {
  enum Command { case pause, stop }

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

  /// Returns when the instance has been told, if there is something to tell. What is sent from within `startLoading()` cannot
  /// be told.
  func waitUntilTold(_ decided: () -> Command?) {
    let end = Date(timeIntervalSinceNow: FlowLimits.telling)
    while Date() < end {
      guard let command = decided() else { return }
      condition.lock()
      defer { condition.unlock() }
      if state.isStopped || command == .pause && state.isPaused { return }
      if let thread = state.startingThread, pthread_equal(thread, pthread_self()) != 0 { return }
      // Nobody tells of a pause that was taken back: look again.
      _ = condition.wait(until: min(end, Date(timeIntervalSinceNow: 0.01)))
    }
  }
}
