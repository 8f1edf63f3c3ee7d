import Foundation
internal import URLLoadingBase

/// Waits on the calling thread, which must not be of Swift's cooperative pool, for an async operation.
/// - Parameter onStart: gets a function that cancels the operation.
func waitForResult<Success: Sendable>(
  of operation: @escaping @Sendable () async throws -> Success, onStart: (@escaping @Sendable () -> Void) -> Void
) throws -> Success {
  let result = Locked<Result<Success, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  let task = Task {
    let outcome: Result<Success, any Error>
    do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
    result.withLock { $0 = outcome }
    isDone.signal()
  }
  onStart { task.cancel() }
  isDone.wait()
  guard let outcome = result.withLock({ $0 }) else { throw ArchiveError.cancelled }
  return try outcome.get()
}
