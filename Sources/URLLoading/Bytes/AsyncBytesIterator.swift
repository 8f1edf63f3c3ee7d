/// Hands out bytes one by one from chunks that an asynchronous source gives.
///
/// Almost every `next` is a pointer comparison and a load that is inlined into the caller's loop. Only at the end of a chunk the source
/// is called, which also checks the task's cancellation. Empty chunks are skipped. After the end or an error the source is not called again.
@frozen public struct AsyncBytesIterator: AsyncIteratorProtocol {
  @usableFromInline var cursor: UnsafePointer<UInt8>
  @usableFromInline var end: UnsafePointer<UInt8>
  /// Keeps the memory alive that `cursor` and `end` point into.
  private var chunk: ByteChunk
  private var isFinished = false
  private let source: @Sendable () async throws -> Data?

  /// - Parameter source: gives the next bytes, or nil at the end; throws `CancellationError` in a cancelled task. It is never called twice
  ///   at a time.
  init(source: @escaping @Sendable () async throws -> Data?) {
    self.source = source
    chunk = .empty
    cursor = chunk.start
    end = cursor
  }

  /// The next byte, or nil at the end.
  ///
  /// - Throws: what the source throws; `CancellationError` when the task is cancelled and the chunk is used up.
  @inlinable
  @inline(__always)
  public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
    guard cursor != end else { return try await refill(isolation: actor) }
    defer { cursor += 1 }
    return cursor.pointee
  }

  /// The next byte, or nil at the end.
  ///
  /// - Throws: what the source throws; `CancellationError` when the task is cancelled and the chunk is used up.
  @inlinable
  @inline(__always)
  public mutating func next() async throws -> UInt8? {
    guard cursor != end else { return try await refill(isolation: nil) }
    defer { cursor += 1 }
    return cursor.pointee
  }

  /// Gets the next chunk and takes its first byte.
  @usableFromInline
  mutating func refill(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
    guard !isFinished else { return nil }
    // Until a chunk is there, nothing more comes: an error thrown from here is the end.
    isFinished = true
    while true {
      guard let data = try await source() else { return nil }
      guard !data.isEmpty else { continue }
      let next = ByteChunk(copying: data)
      chunk = next
      cursor = next.start + 1
      end = next.start + next.count
      isFinished = false
      return next.start.pointee
    }
  }
}
