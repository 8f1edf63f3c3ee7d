/// Packed bytes, for libarchive or a decoder.
protocol FeedOrigin: AnyObject {
  /// Whether bytes can be fetched at any position; else only one after another.
  var isSeekable: Bool { get }

  /// Nothing more can be fetched, for what gives the bytes has failed for good.
  var isBroken: Bool { get }

  /// Fetches some bytes. After a ``SourceFailure`` it can be called again, unless ``isBroken``.
  /// - Returns: how many; 0 at the end.
  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int

  /// The number of all bytes, where ``isSeekable``.
  func findLength() throws -> Int64
}

extension FeedOrigin {
  var isSeekable: Bool { false }
  var isBroken: Bool { false }
  func findLength() throws -> Int64 { throw ArchiveError.unsupported("the length of a stream") }
}
