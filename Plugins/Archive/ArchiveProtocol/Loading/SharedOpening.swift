import Foundation
import URLLoading

/// The opening of one archive, for all loads that wait for it. It is cancelled when the last of them is.
///
/// Mutable state: `waiters` and `result`, guarded by `condition`.
// Safe to share: see above.
final class SharedOpening: @unchecked Sendable {
  /// Ends what the opening waits for.
  let cancellation = Cancellation()
  private let condition = NSCondition()
  /// The first waiter is counted from the start.
  private var waiters = 1
  private var result: Result<OpenArchive, any Error>?

  /// One more load waits.
  /// - Returns: false when it is cancelled, or about to be.
  func join() -> Bool {
    condition.withLock {
      guard waiters > 0, !cancellation.isCancelled else { return false }
      waiters += 1
      return true
    }
  }

  /// Waits for the end of the opening, or for that of the load.
  func wait(_ gate: URLProtocolGate) throws -> OpenArchive {
    gate.whenEnded { [condition] in condition.withLock { condition.broadcast() } }
    condition.lock()
    while result == nil, !gate.hasEnded { condition.wait() }
    let result = result
    waiters -= 1
    let isLast = waiters == 0 && result == nil
    condition.unlock()
    if isLast { cancellation.cancel() }
    guard let result else { throw ArchiveError.cancelled }
    return try result.get()
  }

  /// Resumes all that wait.
  func finish(_ result: Result<OpenArchive, any Error>) {
    condition.withLock {
      self.result = result
      condition.broadcast()
    }
  }
}
