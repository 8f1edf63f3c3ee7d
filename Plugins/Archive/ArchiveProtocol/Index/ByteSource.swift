/// Bytes at positions, read with calls that block: what the readers of archives stand on.
///
/// A source may be used from several threads. Its consumer is one load; ``cancel()`` makes a read that waits, and all later
/// ones, fail at once.
protocol ByteSource: AnyObject, Sendable {
  /// The number of bytes; nil where that is not known before the end has been read.
  var length: Int64? { get }

  /// Reads until `buffer` is full or the source ends. A read into an empty buffer reads nothing, and fails only when the source
  /// was cancelled: those who wait for somebody else ask so.
  /// - Returns: the bytes read; fewer than `buffer.count` only at the end, and 0 at or behind it.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int

  /// Ends a read that waits, from any thread.
  func cancel()
}
