extension URLSession.AsyncBytes {
  /// The body in pieces, as they arrive: for readers that do not need single bytes.
  ///
  /// ```swift
  /// let (bytes, _) = try await session.bytes(for: request)
  /// for try await chunk in bytes.chunks { try file.write(contentsOf: chunk) }
  /// ```
  ///
  /// What holds for the bytes holds for them: the buffer is bounded, and the sender is paused while it is full; the load is cancelled
  /// when the sequences and their iterators are released, and when a reading task is cancelled; there is one iterator at a time, of bytes
  /// or of chunks. An iterator of bytes takes a whole chunk before it gives the first byte of it: one of chunks that follows it begins with
  /// the next chunk.
  public var chunks: Chunks { Chunks(reader: reader) }

  /// The body of a resource as it comes, piece by piece. See ``URLSession/AsyncBytes/chunks``.
  public struct Chunks: AsyncSequence, Sendable {
    /// Some bytes, never none. How many is up to the sender: small pieces that wait for the reader are joined up to 16 KiB.
    public typealias Element = Data

    let reader: StreamReader

    /// Begins to read where the last iterator, of bytes or of chunks, stopped taking chunks.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

    /// Gives the pieces one after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let reader: StreamReader
      private var isFinished = false

      init(reader: StreamReader) {
        self.reader = reader
      }

      /// The next piece, or nil at the end and after an error.
      /// - Throws: what the load failed with, after all that came before; `CancellationError` when the task was cancelled, and
      ///   `URLError.cancelled` when that happens meanwhile, which both cancel the load.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Data? {
        guard !isFinished else { return nil }
        // Until a piece is there, nothing more comes: an error thrown from here is the end.
        isFinished = true
        guard let chunk = try await reader.nextChunk() else { return nil }
        isFinished = false
        return chunk
      }
    }
  }
}
