import Foundation

/// Work in steps that several threads wait for, each for a certain point: one of them does a step at a time, in the name of its own
/// source, and the others wait. One that is cancelled leaves, and another goes on.
///
/// Mutable state: `isAdvancing`, `isComplete`, `failure`; guarded by `condition`.
// Safe to share: what is guarded by `condition` is touched only while it is locked.
final class SharedProgress: @unchecked Sendable {
  private let condition = NSCondition()
  private var isAdvancing = false
  private var isComplete = false
  private var failure: (any Error)?

  /// Does steps, or waits for those of others, until `isEnough` or all is done.
  /// - Parameters:
  ///   - isEnough: asked between steps, with a lock held.
  ///   - source: of the one who waits; its cancellation ends the wait.
  ///   - step: never runs twice at a time. Says whether there is more to do. When it throws, that is final, and everyone who
  ///     waits for more gets the error; except for a ``SourceFailure``, which only the one gets whose source it was.
  func advance(
    for source: any ByteSource, until isEnough: () -> Bool, step: () throws -> Bool
  ) throws {
    condition.lock()
    defer { condition.unlock() }
    while !isEnough() {
      if let failure { throw failure }
      if isComplete { return }
      if isAdvancing {
        // Nobody tells when another one's source is cancelled: look now and then.
        _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
        try unlocked { try source.checkCancellation() }
      } else {
        isAdvancing = true
        let result = Result {
          try unlocked {
            do { try source.checkCancellation() } catch { throw SourceFailure(underlying: error) }
            return try step()
          }
        }
        isAdvancing = false
        condition.broadcast()
        try record(result)
      }
    }
  }

  private func record(_ result: Result<Bool, any Error>) throws {
    switch result {
    case .success(let hasMore): isComplete = !hasMore
    case .failure(let error as SourceFailure): throw error.underlying
    case .failure(let error):
      failure = error
      throw error
    }
  }

  private func unlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    condition.unlock()
    defer { condition.lock() }
    return try body()
  }
}
