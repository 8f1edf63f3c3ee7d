/// Bytes at positions, read with calls that block: what the readers of archives stand on.
///
/// A source may be used from several threads. Its consumer is one load.
protocol ByteSource: Sendable {
  /// The number of bytes; nil where that is not known before the end has been read.
  var length: Int64? { get }

  /// Makes a read that waits, and all later ones, fail at once.
  var cancellation: Cancellation { get }

  /// Reads until `buffer` is full or the source ends.
  /// - Returns: the bytes read; fewer than `buffer.count` only at the end, and 0 at or after it.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int
}
