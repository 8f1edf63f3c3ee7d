internal import URLLoadingCurlTransport

/// What sends a body, and waits where there is nothing to send yet.
protocol BodySender: AnyObject, Sendable {
  /// There may be more of the body. Does nothing for one that does not wait.
  func resumeSending()
}

extension Transfer: BodySender {}
