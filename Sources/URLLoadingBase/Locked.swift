public import Synchronization

/// A value guarded by a lock, both in the place where this is stored.
///
/// `Synchronization.Mutex`, with what it has the compiler check: what is not `Sendable` cannot be stored from outside. Where that is right all
/// the same, it is an ``UncheckedLocked``. That such a value comes out and is kept inside as well the compiler does not see (Swift 6.3).
///
/// The thread sanitizer does not see a `Mutex` and reports false races; its build has a lock that it sees (`SanitizedMutex`).
///
/// A function goes in as a member of a struct: one that is the value itself is wrapped once more at each access.
@frozen
@usableFromInline
package struct Locked<Value>: ~Copyable, Sendable {
  #if URL_LOADING_THREAD_SANITIZER
  @usableFromInline typealias Storage = SanitizedMutex<Value>
  #else
  @usableFromInline typealias Storage = Mutex<Value>
  #endif

  @usableFromInline let storage: Storage
  #if DEBUG
  @usableFromInline let rank: LockRank?
  #endif

  /// - Parameter rank: where it is in the order of locks; nil where no other lock is taken under it, or it under another.
  @inlinable
  package init(_ value: consuming sending Value, rank: LockRank? = nil) {
    storage = Storage(value)
    #if DEBUG
    self.rank = rank
    #endif
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if DEBUG
    let held = LockOrder.take(rank)
    defer { LockOrder.give(back: held) }
    #endif
    return try storage.withLock(body)
  }

  /// As ``withLock(_:)`` where nobody has the lock, else nil.
  @inlinable
  package borrowing func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    #if DEBUG
    let held = LockOrder.take(rank, waits: false)
    defer { LockOrder.give(back: held) }
    #endif
    return try storage.withLockIfAvailable(body)
  }
}
