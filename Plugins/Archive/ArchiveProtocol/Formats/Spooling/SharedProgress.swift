import Foundation

/// Work in steps that several threads wait for, each up to a point of its own: one of them does a step at a time, with its own
/// source, and the others wait. When that one is cancelled, another takes over.
///
/// Mutable state: `isAdvancing`, `isComplete`, `failure`; guarded by `condition`.
// Safe to share: what is guarded by `condition` is touched only while it is locked.
final class SharedProgress: @unchecked Sendable {
  private let condition = NSCondition()
  private var isAdvancing = false
  private var isComplete = false
  private var failure: (any Error)?

  /// A step failed for good.
  var hasFailed: Bool { condition.withLock { failure != nil } }

  /// Does steps, or waits for those of others, until `isEnough` or all is done.
  /// - Parameters:
  ///   - source: the caller's, whose cancellation ends the wait.
  ///   - isEnough: asked between steps, with a lock held.
  ///   - step: never runs twice at a time. Returns whether there is more to do. An error is final, and everyone who waits for
  ///     more gets it; except for a ``SourceFailure``, which only the caller gets.
  func advance(for source: any ByteSource, until isEnough: () -> Bool, step: () throws -> Bool) throws {
    let wakeAll: @Sendable () -> Void = { [condition] in condition.withLock { condition.broadcast() } }
    try source.cancellation.onCancel(wakeAll) {
      condition.lock()
      defer { condition.unlock() }
      while !isEnough() {
        if let failure { throw failure }
        if isComplete { return }
        try source.checkCancellation()
        if isAdvancing { condition.wait() } else { try advance(step) }
      }
    }
  }

  private func advance(_ step: () throws -> Bool) throws {
    isAdvancing = true
    condition.unlock()
    let result = Result { try step() }
    condition.lock()
    isAdvancing = false
    condition.broadcast()
    switch result {
    case .success(let hasMore): isComplete = !hasMore
    case .failure(let error as SourceFailure): throw error.underlying
    case .failure(let error):
      failure = error
      throw error
    }
  }
}
