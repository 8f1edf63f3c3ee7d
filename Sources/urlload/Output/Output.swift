import URLLoading

/// Where the bytes of one load go. Used by one thread at a time.
protocol Output: AnyObject, Sendable {
  /// Bytes that were written.
  var count: Int64 { get }

  /// Whether this is a file, which must be whole or absent.
  var isFile: Bool { get }

  /// The name to show, once it is known.
  var name: String? { get }

  /// Called before the body of a response.
  func begin(_ response: URLResponse) throws(Failure)

  func write(_ data: Data) throws(Failure)

  /// Truncates what was written.
  func restart() throws(Failure)

  /// Called when the body is whole.
  func finish() throws(Failure)

  /// Called when the load has failed: removes what was written.
  func abandon()
}
