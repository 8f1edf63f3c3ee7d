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
  final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
    deinit {
      _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }
  }

  @usableFromInline let storage: ManagedBuffer<Value, pthread_mutex_t>

  @inlinable
  package init(_ value: Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in value }
    _ = storage.withUnsafeMutablePointerToElements { element in
      element.initialize(to: pthread_mutex_t())
      return pthread_mutex_init(element, nil)
    }
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeMutablePointers { (value, mutex) throws(Failure) -> Result in
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
}
