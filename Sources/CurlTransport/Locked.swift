import Glibc

/// A value guarded by a lock.
///
/// The lock is a pthread mutex because the thread sanitizer sees those, while it reports
/// false races for `Synchronization.Mutex`. Copies share value and lock, which are one allocation.
// Safe to share: the value is touched only inside `withLock`, which holds the mutex.
@frozen
@usableFromInline
package struct Locked<Value>: @unchecked Sendable {
  @usableFromInline
  final class Storage: ManagedBuffer<pthread_mutex_t, Value> {
    deinit {
      withUnsafeMutablePointers { mutex, value in
        value.deinitialize(count: 1)
        pthread_mutex_destroy(mutex)
      }
    }
  }

  @usableFromInline let storage: ManagedBuffer<pthread_mutex_t, Value>

  @inlinable
  package init(_ value: consuming Value) {
    // All zero is PTHREAD_MUTEX_INITIALIZER, which Swift cannot import.
    storage = Storage.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
    let pointer = storage.withUnsafeMutablePointerToElements { $0 }
    pointer.initialize(to: value)
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeMutablePointers { (mutex, value) throws(Failure) -> Result in
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
}
