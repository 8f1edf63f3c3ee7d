internal import URLLoadingBase

/// Suspends one read, blocking or as a Swift task, until it is resumed or cancelled.
///
/// Mutable state: `state`, guarded by its lock.
final class ReadHandle: Sendable {
  private struct State {
    var isCancelled = false
    /// Resumed before it waited.
    var isAwake = false
    var waiter: Waiter?
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Resumes the current wait, or the next one. Spurious calls are allowed.
  func wake() { wake(cancelling: false) }

  /// Makes the read fail.
  func cancel() { wake(cancelling: true) }

  private func wake(cancelling: Bool) {
    let waiter = state.withLock { state in
      if cancelling { state.isCancelled = true }
      if state.waiter == nil { state.isAwake = true }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Blocks the thread until it is woken.
  func waitBlocking() {
    let semaphore = DispatchSemaphore(value: 0)
    if enqueue(.thread(semaphore)) { semaphore.wait() }
  }

  /// Suspends the task until it is woken.
  func wait() async {
    await withUnsafeContinuation { continuation in
      if !enqueue(.function(continuation)) { continuation.resume() }
    }
  }

  /// - Returns: false where a resume came before.
  private func enqueue(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      defer { state.isAwake = false }
      if !state.isAwake { state.waiter = waiter }
      return !state.isAwake
    }
  }
}
