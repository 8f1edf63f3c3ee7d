#if URL_LOADING_THREAD_SANITIZER
public import Foundation

/// `Mutex` for the build of the thread sanitizer, which sees this lock.
// Mutable state: `value`, guarded by `lock`.
@usableFromInline
final class SanitizedMutex<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  @usableFromInline
  init(_ value: consuming Value) {
    self.value = value
  }

  @usableFromInline
  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  @usableFromInline
  func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(&value)
  }
}
#endif
