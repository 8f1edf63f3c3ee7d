extension BlockingPool {
  /// Runs work that blocks for an `async` function, which waits for its result.
  func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withUnsafeThrowingContinuation { continuation in
      run { continuation.resume(with: Result { try work() }) }
    }
  }
}
