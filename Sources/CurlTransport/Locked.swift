public import CFutexLock

/// A value guarded by a lock.
///
/// The lock is one of our own because a load passes dozens of them: pthread's costs three times as much, and for
/// `Synchronization.Mutex` the thread sanitizer reports false races. Copies share value and lock, which are one allocation.
// Safe to share: the value is touched only inside `withLock`, which holds the lock.
@frozen
@usableFromInline
package struct Locked<Value>: @unchecked Sendable {
  @usableFromInline
  final class Storage: ManagedBuffer<futex_lock_word, Value> {
    deinit {
      withUnsafeMutablePointerToElements { value in
        _ = value.deinitialize(count: 1)
      }
    }
  }

  @usableFromInline let storage: ManagedBuffer<futex_lock_word, Value>

  @inlinable
  package init(_ value: consuming Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in 0 }
    let pointer = storage.withUnsafeMutablePointerToElements { $0 }
    pointer.initialize(to: value)
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeMutablePointers { (lock, value) throws(Failure) -> Result in
      futex_lock_take(lock)
      defer { futex_lock_give(lock) }
      return try body(&value.pointee)
    }
  }
}
