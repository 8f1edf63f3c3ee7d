import URLLoading

/// Where the bytes of one load go. Used by one thread at a time.
protocol Output: AnyObject, Sendable {
  /// Bytes that were written.
  var count: Int64 { get }

  /// Whether a load that failed on the way can begin again from the start.
  var canRestart: Bool { get }

  /// Whether this is a file that must be right or not there at all.
  var isFile: Bool { get }

  /// The name to show, once it is known.
  var name: String? { get }

  /// The response is there and its body is wanted.
  func begin(_ response: URLResponse) throws(Failure)

  /// Writes more.
  func write(_ data: Data) throws(Failure)

  /// Forgets what was written.
  func restart() throws(Failure)

  /// All is written.
  func finish() throws(Failure)

  /// The load failed: nothing of it stays.
  func abandon()
}
