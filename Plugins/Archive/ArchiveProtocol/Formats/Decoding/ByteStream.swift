/// Decoded bytes one after another.
protocol ByteStream: AnyObject {
  /// The next bytes, valid until the next call; empty at the verified end.
  ///
  /// After a ``SourceFailure`` it can be called again, unless ``isBroken``.
  func next() throws -> UnsafeRawBufferPointer

  /// It has failed for good.
  var isBroken: Bool { get }
}
