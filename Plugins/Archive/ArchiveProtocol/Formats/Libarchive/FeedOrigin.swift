/// Where a ``LibarchiveFeed`` gets its bytes.
protocol FeedOrigin: AnyObject {
  /// Whether bytes can be fetched at any position; else only one after another.
  var isSeekable: Bool { get }

  /// Fetches some bytes.
  /// - Returns: how many; 0 at the end.
  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int

  func findLength() throws -> Int64
}
