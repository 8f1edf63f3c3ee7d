/// Bytes one after another.
protocol ByteStream: AnyObject {
  /// The next bytes, valid until the next call; empty at the end, once all was found whole.
  ///
  /// After a ``SourceFailure`` it can be called again, unless ``isBroken``.
  func next() throws -> UnsafeRawBufferPointer

  /// Nothing more will come of it.
  var isBroken: Bool { get }
}
