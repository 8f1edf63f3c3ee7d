import URLLoading

/// Where the bytes of one load go. Used by one thread at a time.
protocol Output: AnyObject, Sendable {
  /// Bytes that were written.
  var count: Int64 { get }

  /// Whether this is a file, which must be whole or absent.
  var isFile: Bool { get }

  /// The name to show, once it is known.
  var name: String? { get }

  /// The path of the file, once it is known; nil for what is not a file.
  var path: String? { get }

  /// Called before the body of a response.
  /// - Parameters:
  ///   - url: the one that the user named.
  ///   - resumption: where the load could be resumed after this response; nil for one that continues what is written.
  func begin(_ response: URLResponse, of url: URL, _ resumption: Resumption?) throws(Failure)

  func write(_ data: Data) throws(Failure)

  /// Truncates what was written.
  func restart() throws(Failure)

  /// Called when the body is whole.
  /// - Parameter date: the time of the resource's last change, for the file.
  func finish(_ date: Date?) throws(Failure)

  /// Called when the load has failed: removes what was written.
  func abandon()

  /// Called when the load has failed: keeps what was written, for a later load to resume.
  /// - Returns: what is kept; nil where nothing is.
  func keep() -> KeptPart?

  /// What a failed load has left of a file of the user's, as a clause; nil for nothing to say.
  var damage: String? { get }
}

extension Output {
  var damage: String? { nil }
}

/// What is left of a load that failed.
struct KeptPart: Equatable, Sendable {
  /// The part file.
  let path: String
  let count: Int64
  /// Whether a later load can continue after it.
  let isResumable: Bool

  /// For a message: a clause, and what to do.
  var text: String {
    "\(ByteText.size(count)) of it are kept in \(path): "
      + (isResumable ? "the same command with -C - resumes it" : "without a validator, the next load restarts")
  }
}
