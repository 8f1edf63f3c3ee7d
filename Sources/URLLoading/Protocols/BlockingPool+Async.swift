internal import URLLoadingBase

extension BlockingPool {
  /// Runs work that blocks for an `async` function, which waits for its result.
  func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    // The result goes through a lock, which is held until the continuation is resumed: the thread sanitizer sees no order
    // between a resume and what the task does next.
    let outcome = Locked<Result<Value, any Error>?>(nil)
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      run {
        let result = Result { try work() }
        outcome.withLock {
          $0 = result
          continuation.resume()
        }
      }
    }
    guard let result = outcome.withLock({ $0 }) else { throw URLError(.unknown) }
    return try result.get()
  }
}
