internal import URLLoadingBase

/// Keeps the response and the body of a load for a reader that takes the body piece by piece.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamSink: BodySink {
  private struct State {
    var response: URLResponse?
    /// Why no response comes any more.
    var failure: (any Error)?
    var waiter: UnsafeContinuation<URLResponse, any Error>?
  }

  let holdsBytes = true
  private let buffer = StreamBuffer<Data>(largestJoin: 16 << 10) { $0.count }
  private let state = Locked(State())

  func attach(to source: any BufferedSource) { buffer.attach(to: source) }

  /// Of a multipart body the first response is given.
  func begin(response: URLResponse) {
    let waiter = state.withLock { state in
      if state.response == nil { state.response = response }
      return state.waiter.take()
    }
    waiter?.resume(returning: response)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    buffer.write(BodyMemory.shared.data(copying: bytes))
  }

  func write(_ data: Data) throws -> Bool { buffer.write(data) }

  func end(_ error: (any Error)?) {
    let failure = error ?? URLError(.badServerResponse)
    let waiter = state.withLock { state in
      if state.failure == nil { state.failure = failure }
      return state.waiter.take()
    }
    waiter?.resume(throwing: failure)
    buffer.end(error)
  }

  /// Whether the body has come to its end.
  var hasEnded: Bool { buffer.hasEnded }

  /// The next bytes; nil at the end. See ``StreamBuffer/next()``.
  func nextChunk() async throws -> Data? { try await buffer.next() }

  /// The response, once there is one.
  func response() async throws -> URLResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<URLResponse, any Error>? in
        if let response = state.response { return .success(response) }
        if let failure = state.failure { return .failure(failure) }
        state.waiter = continuation
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }
}
