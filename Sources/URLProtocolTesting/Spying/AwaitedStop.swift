import URLLoading

// Safe to share: `state` is touched only while `condition` is locked.
/// Blocks a sender until a stop that was decided has been carried out.
///
/// A session decides on a stop while a piece is given to it, and calls `stopLoading()` on whatever thread is free: on busy machines
/// a quick source has sent all by then, which is no fault of the class.
///
/// Mutable state: `state`, guarded by `condition`.
final class AwaitedStop: @unchecked Sendable {
  private struct State {
    var hasStopped = false
    var startingThread: pthread_t?
  }

  private let condition = NSCondition()
  private var state = State()

  func willStart() { change { $0.startingThread = pthread_self() } }
  func didStart() { change { $0.startingThread = nil } }
  func didStop() { change { $0.hasStopped = true } }

  private func change(_ body: (inout State) -> Void) {
    condition.withLock { body(&state) }
    condition.broadcast()
  }

  /// Returns when the instance was stopped, or soon after. What is sent from within `startLoading()` comes before any stop.
  func wait() {
    let end = Date(timeIntervalSinceNow: FlowLimits.stopping)
    condition.lock()
    defer { condition.unlock() }
    if let thread = state.startingThread, pthread_equal(thread, pthread_self()) != 0 { return }
    while !state.hasStopped, condition.wait(until: end) {}
  }
}
