internal import URLLoadingBase

extension BlockingPool {
  /// Runs work that blocks, and returns its result.
  func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    // The continuation is resumed under the lock: the thread sanitizer sees no order between a resume and what the task does next.
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
