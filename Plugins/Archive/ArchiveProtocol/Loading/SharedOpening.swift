import Foundation
import URLLoading

/// The opening of one archive, and the loads that wait for it. When the last of them leaves it is cancelled.
///
/// Mutable state: `state`, guarded by `condition`.
// Safe to share: `state` is touched only while `condition` is locked.
final class SharedOpening: @unchecked Sendable {
  private struct State {
    /// The first waiter is counted from the start.
    var waiters = 1
    var result: Result<OpenArchive, any Error>?
    var isCancelled = false
    var onCancel: [@Sendable () -> Void] = []
  }

  private let condition = NSCondition()
  private var state = State()

  /// One more load waits.
  /// - Returns: false when it is too late: all others have left.
  func join() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !state.isCancelled else { return false }
    state.waiters += 1
    return true
  }

  /// Waits for the end of the opening, or for that of the load.
  func wait(_ gate: URLProtocolGate) throws -> OpenArchive {
    gate.whenEnded { [weak self] in self?.wakeAll() }
    condition.lock()
    while state.result == nil, !gate.hasEnded { condition.wait() }
    let result = state.result
    state.waiters -= 1
    let isLast = state.waiters == 0 && result == nil
    condition.unlock()
    if isLast { cancel() }
    guard let result else { throw ArchiveError.cancelled }
    return try result.get()
  }

  /// Tells the result to all that wait.
  func finish(_ result: Result<OpenArchive, any Error>) {
    condition.lock()
    state.result = result
    state.onCancel = []
    condition.broadcast()
    condition.unlock()
  }

  /// Runs `action` when nobody waits any more; at once if that is so.
  func whenCancelled(_ action: @escaping @Sendable () -> Void) {
    condition.lock()
    let isLate = state.isCancelled
    if !isLate { state.onCancel.append(action) }
    condition.unlock()
    if isLate { action() }
  }

  /// Ends what the opening waits for.
  func cancel() {
    condition.lock()
    state.isCancelled = true
    let actions = state.onCancel
    state.onCancel = []
    condition.unlock()
    for action in actions { action() }
  }

  private func wakeAll() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }
}
