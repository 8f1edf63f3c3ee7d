internal import URLLoadingBase

/// Keeps the body for a reader that takes it piece by piece.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamSink: BodySink {
  private struct State {
    var chunks: [Data] = []
    var response: URLResponse?
    var isEnded = false
    var error: (any Error)?
    var responseWaiter: UnsafeContinuation<URLResponse, any Error>?
    var chunkWaiter: UnsafeContinuation<Data?, any Error>?
    weak var load: Load?
  }

  private let state = Locked(State())
  let holdsBytes = true
  private static let largestJoin = 16 << 10

  /// Says whose bytes they are.
  func attach(to load: Load) {
    state.withLock { $0.load = load }
  }

  func begin(expectedLength: Int64) {}

  /// The head is known. Only the first one of a multipart body is waited for.
  func begin(response: URLResponse) {
    let waiter = state.withLock { state in
      if state.response == nil { state.response = response }
      defer { state.responseWaiter = nil }
      return state.responseWaiter
    }
    waiter?.resume(returning: response)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try write(BodyMemory.shared.data(copying: bytes))
  }

  func write(_ chunk: Data) throws -> Bool {
    let waiter = state.withLock { state -> UnsafeContinuation<Data?, any Error>? in
      guard !state.isEnded else { return nil }
      guard let waiter = state.chunkWaiter else {
        Self.append(chunk, to: &state.chunks)
        return nil
      }
      state.chunkWaiter = nil
      return waiter
    }
    guard let waiter else { return true }
    waiter.resume(returning: chunk)
    return false
  }

  /// Small pieces are joined: a sender of single bytes must not cost a reader an allocation for each.
  private static func append(_ chunk: Data, to chunks: inout [Data]) {
    if let last = chunks.indices.last, chunks[last].count + chunk.count <= largestJoin {
      chunks[last].append(chunk)
    } else {
      chunks.append(chunk)
    }
  }

  /// Nothing more comes; what waits can still be read. Only the first end counts.
  func end(_ error: (any Error)?) {
    let (responseWaiter, chunkWaiter) = state.withLock { state in
      if !state.isEnded { state.error = error }
      state.isEnded = true
      defer {
        state.responseWaiter = nil
        state.chunkWaiter = nil
      }
      return (state.responseWaiter, state.chunkWaiter)
    }
    responseWaiter?.resume(throwing: error ?? URLError(.badServerResponse))
    if let error { chunkWaiter?.resume(throwing: error) } else { chunkWaiter?.resume(returning: nil) }
  }

  /// The response, once there is one.
  func response() async throws -> URLResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<URLResponse, any Error>? in
        if let response = state.response { return .success(response) }
        if state.isEnded { return .failure(state.error ?? URLError(.badServerResponse)) }
        state.responseWaiter = continuation
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }

  /// The next bytes, or nil at the end. One reader at a time.
  func nextChunk() async throws -> Data? {
    try await withUnsafeThrowingContinuation { continuation in
      let (known, load) = state.withLock { state -> (Result<Data?, any Error>?, Load?) in
        if !state.chunks.isEmpty {
          return (.success(state.chunks.removeFirst()), state.load)
        }
        if state.isEnded { return (state.error.map { .failure($0) } ?? .success(nil), nil) }
        // A second reader would be a mistake of the caller; the first one then sees the end.
        let forgotten = state.chunkWaiter
        state.chunkWaiter = continuation
        forgotten?.resume(returning: nil)
        return (nil, nil)
      }
      guard let known else { return }
      if case .success(let data?) = known { load?.consumed(data.count) }
      continuation.resume(with: known)
    }
  }
}
