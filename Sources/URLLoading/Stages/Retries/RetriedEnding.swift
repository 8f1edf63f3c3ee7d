/// How an attempt ended that may be followed by another.
package enum RetriedEnding: Sendable {
  case failure(any Error)
  /// A status of HTTP.
  /// - Parameter retryAfter: the field of that name, if it is there.
  case status(Int, retryAfter: String?)
  /// The response does not continue what is there, and the whole is needed.
  case mismatch
}
