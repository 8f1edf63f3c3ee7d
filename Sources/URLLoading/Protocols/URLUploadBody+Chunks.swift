extension URLUploadBody {
  /// The body from its beginning, in pieces.
  ///
  /// ```swift
  /// for try await chunk in body.chunks { try await connection.send(chunk) }
  /// ```
  ///
  /// One piece is in memory at a time. Files and streams are read on threads that may block; the caller's is never blocked. A stream is
  /// read once: only one iterator of it gives bytes. An ``AsyncURLProtocol`` reads ``AsyncURLProtocol/Writer/uploadChunks``, which
  /// reports progress as well.
  public var chunks: Chunks { Chunks(opening: { self }, report: nil) }

  /// The body of an upload, piece by piece. See ``URLUploadBody/chunks``.
  public struct Chunks: AsyncSequence, Sendable {
    /// Some bytes, 256 KiB at most and never none.
    public typealias Element = Data

    /// Gives the body from its beginning, for each iterator; nil where there is none.
    let opening: @Sendable () async throws -> URLUploadBody?
    /// Gets the bytes of all pieces that were taken before the one that is asked for.
    let report: (@Sendable (Int64) -> Void)?

    /// Begins at the first byte; a stream is opened by the first piece that is asked for.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(opening: opening, report: report) }

    /// Gives the pieces one after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let opening: @Sendable () async throws -> URLUploadBody?
      private let report: (@Sendable (Int64) -> Void)?
      private var reader: UploadChunkReader?
      private var count: Int64 = 0
      private var isFinished = false

      init(opening: @escaping @Sendable () async throws -> URLUploadBody?, report: (@Sendable (Int64) -> Void)?) {
        self.opening = opening
        self.report = report
      }

      /// The next piece, or nil at the end and after an error.
      /// - Throws: `CancellationError` at once when the task is cancelled, whatever the read waits for; what the stream failed with;
      ///   `URLError.cannotOpenFile` for a file that cannot be read; `URLError.cannotDecodeRawData` for a file that shrank, or a stream
      ///   of another length than was announced; `URLError.requestBodyStreamExhausted` where a stream is to be read again and there
      ///   is no other.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Data? {
        guard !isFinished else { return nil }
        // Until a piece is there, nothing more comes: an error thrown from here is the end.
        isFinished = true
        try Task.checkCancellation()
        // None as well: a body that is read again begins at 0.
        report?(count)
        if reader == nil { reader = try await opening().map { UploadChunkReader($0) } }
        guard let chunk = try await reader?.next() else { return nil }
        count += Int64(chunk.count)
        isFinished = false
        return chunk
      }
    }
  }
}
