/// A request body that the engine pulls as the connection takes it.
///
/// Both methods are called on the loop's thread and must not block.
package protocol TransferBodySource: AnyObject, Sendable {
  /// Copies the next bytes into `buffer`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead

  /// Goes back to the first byte, because the body must be sent again on another connection or with credentials.
  ///
  /// - Returns: False when that is impossible; the transfer then fails with `.bodyNotRewindable`.
  func rewind() -> Bool
}

/// The outcome of a read from a body source.
package enum BodyRead: Sendable {
  /// The number of bytes that were written to the buffer, at least one.
  case bytes(Int)
  /// There is nothing yet. The source calls `Transfer.resumeSending()` when there is.
  case wait
  /// The body is complete.
  case end
  /// A connection alone: all bytes before were read, and TLS starts here.
  case secure
  /// The body cannot be had.
  case failed(any Error)
}
