extension String {
  /// Calls `body` with the text's bytes.
  ///
  /// `withUTF8(_:)` needs a copy of the string, and that counts a reference: for a text that several threads have, such as a URL that
  /// is loaded again and again, the count has to be fetched from another processor.
  @inlinable
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}
