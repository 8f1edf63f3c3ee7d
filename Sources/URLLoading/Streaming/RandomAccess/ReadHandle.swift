internal import URLLoadingBase

/// Suspends one read, blocking or as a Swift task, until it is resumed or cancelled.
///
/// Mutable state: `state`, guarded by its lock.
final class ReadHandle: Sendable {
  private struct State {
    var isCancelled = false
    /// Resumed before it waited.
    var isAwake = false
    var semaphore: DispatchSemaphore?
    var continuation: UnsafeContinuation<Void, Never>?

    mutating func takeWake() -> Bool {
      defer { isAwake = false }
      return isAwake
    }
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Resumes the current wait, or the next one. Spurious calls are allowed.
  func wake() { wake(cancelling: false) }

  /// Makes the read fail.
  func cancel() { wake(cancelling: true) }

  private func wake(cancelling: Bool) {
    let (semaphore, continuation) = state.withLock { state in
      if cancelling { state.isCancelled = true }
      defer { (state.semaphore, state.continuation) = (nil, nil) }
      if state.semaphore == nil, state.continuation == nil { state.isAwake = true }
      return (state.semaphore, state.continuation)
    }
    semaphore?.signal()
    continuation?.resume()
  }

  /// Blocks the thread until it is woken.
  func waitBlocking() {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      if state.takeWake() { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.semaphore = semaphore
      return semaphore
    }
    semaphore?.wait()
  }

  /// Suspends the task until it is woken.
  func wait() async {
    await withUnsafeContinuation { continuation in
      let isAwake = state.withLock { state in
        if state.takeWake() { return true }
        state.continuation = continuation
        return false
      }
      if isAwake { continuation.resume() }
    }
  }
}
