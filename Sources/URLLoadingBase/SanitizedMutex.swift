#if URL_LOADING_THREAD_SANITIZER
public import Foundation

/// `Mutex` for the build of the thread sanitizer, which sees this lock.
// Mutable state: `value`, guarded by `lock`.
@usableFromInline
final class SanitizedMutex<Value>: @unchecked Sendable {
  private let lock = NSLock()
  // Safe: as in `Mutex`, what `body` may store and return is checked by its signature.
  nonisolated(unsafe) private var value: Value

  @usableFromInline
  init(_ value: consuming sending Value) {
    self.value = value
  }

  @usableFromInline
  func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  @usableFromInline
  func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(&value)
  }
}
#endif
