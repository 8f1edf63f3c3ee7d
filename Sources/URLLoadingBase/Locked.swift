public import Synchronization

/// A value guarded by a lock, both in the place where this is stored.
///
/// `Synchronization.Mutex`, for values and results that may be of any type. The thread sanitizer does not see that one and reports
/// false races; its build has a lock that it sees (`SanitizedMutex`).
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

  // Safe to carry into the lock and out of it: the closure runs at once, on the caller's thread.
  @usableFromInline
  struct Carried<Content>: @unchecked Sendable {
    @usableFromInline let content: Content

    @inlinable
    init(_ content: Content) {
      self.content = content
    }
  }

  @usableFromInline let storage: Storage

  @inlinable
  package init(_ value: consuming Value) {
    storage = Storage(Carried(value).content)
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withLock { value throws(Failure) in
      Carried(try body(&value))
    }.content
  }

  /// As ``withLock(_:)`` where nobody has the lock, else nil.
  @inlinable
  package borrowing func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try storage.withLockIfAvailable { value throws(Failure) in
      Carried(try body(&value))
    }?.content
  }
}
