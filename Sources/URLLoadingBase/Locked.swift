public import Synchronization
public import URLLoadingCFutexLock

/// A value guarded by a lock, both in the place where this is stored.
///
/// The lock is one of our own because a load passes dozens of them: pthread's costs three times as much, and for
/// `Synchronization.Mutex` the thread sanitizer reports false races.
// Safe to share: the value is touched only inside `withLock`, which holds the lock.
@frozen
@usableFromInline
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
  // What `Mutex` itself keeps its value in: memory that stays where it is for as long as there is a `let` of it. An allocation
  // apart costs as much as ten locks.
  @usableFromInline let lock: _Cell<futex_lock_word>
  @usableFromInline let value: _Cell<Value>

  @inlinable
  package init(_ value: consuming Value) {
    lock = _Cell(0)
    self.value = _Cell(value)
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  @inline(__always)
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    futex_lock_take(lock._address)
    defer { futex_lock_give(lock._address) }
    // In one expression, the thread sanitizer would take the access to the value for one to the whole, the lock included, and
    // report every lock that waits for it.
    let value = value._address
    return try body(&value.pointee)
  }
}
