internal import URLLoadingBase

/// Carries a body from an `async` writer to one reader that may block, a piece at a time: what is not read yet holds the writer up.
///
/// Mutable state: `state`, guarded by its lock.
final class BodyPipe: Sendable {
  private struct State {
    var piece = Data()
    /// Bytes of the piece that were read.
    var position = 0
    /// How the body has ended.
    var end: Result<Void, any Error>?
    var isClosed = false
    var writer: UnsafeContinuation<Void, Never>?
    var reader: DispatchSemaphore?

    var rest: Int { piece.count - position }
  }

  private let state = Locked(State())

  /// Hands a piece to the reader, and waits until all of it was read.
  /// - Throws: `CancellationError` where nobody reads any more.
  func write(_ piece: Data) async throws {
    guard !piece.isEmpty else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { writer in
        let waiting = state.withLock { state -> (DispatchSemaphore?, UnsafeContinuation<Void, Never>?) in
          guard !state.isClosed, state.end == nil, !Task.isCancelled else { return (nil, writer) }
          (state.piece, state.position, state.writer) = (piece, 0, writer)
          return (state.reader.take(), nil)
        }
        waiting.0?.signal()
        waiting.1?.resume()
      }
    } onCancel: {
      end(CancellationError())
    }
    guard state.withLock({ !$0.isClosed && $0.end == nil }) else { throw CancellationError() }
  }

  /// Nothing more is written. The first end counts; one with an error drops what was not read yet.
  func end(_ error: (any Error)? = nil) {
    let (reader, writer) = state.withLock { state in
      if state.end == nil {
        state.end = error.map { .failure($0) } ?? .success(())
        if error != nil { state.position = state.piece.count }
      }
      return (state.reader.take(), state.writer.take())
    }
    reader?.signal()
    writer?.resume()
  }

  /// The error that the body has ended with.
  var failure: (any Error)? {
    if case .failure(let error) = state.withLock({ $0.end }) { error } else { nil }
  }

  /// Nobody reads any more.
  func close() {
    let (reader, writer) = state.withLock { state in
      state.isClosed = true
      return (state.reader.take(), state.writer.take())
    }
    reader?.signal()
    writer?.resume()
  }

  /// Whether a read would not wait.
  var isReadable: Bool { state.withLock { $0.rest > 0 || $0.end != nil || $0.isClosed } }

  /// Reads bytes; waits for one. One reader at a time.
  /// - Returns: how many there were; 0 at the end.
  /// - Throws: what the body has ended with; `CancellationError` where the pipe was closed before its end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let waiting = DispatchSemaphore(value: 0)
      let (count, writer) = try state.withLock { state -> (Int?, UnsafeContinuation<Void, Never>?) in
        guard state.rest > 0 else {
          if let end = state.end {
            try end.get()
            return (0, nil)
          }
          // Not the end of the body.
          if state.isClosed { throw CancellationError() }
          state.reader = waiting
          return (nil, nil)
        }
        let count = min(buffer.count, state.rest)
        state.piece.withUnsafeBytes { bytes in
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.position..<state.position + count]))
        }
        state.position += count
        return (count, state.rest == 0 ? state.writer.take() : nil)
      }
      writer?.resume()
      if let count { return count }
      waiting.wait()
    }
  }
}
