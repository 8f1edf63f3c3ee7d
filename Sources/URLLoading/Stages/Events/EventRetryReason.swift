extension URLSession {
  /// Why a load begins another attempt for the same request. The raw value is for machines.
  @frozen public enum EventRetryReason: String, Sendable, CaseIterable {
    /// The network has changed since the attempt before found none, or the time to try again has come.
    case networkChanged = "network-changed"
    /// The connection was lost in a way that allows a retry: over HTTP a connection that was kept from an earlier request, and
    /// had ended before this one reached the server (RFC 9112, section 9.3.1).
    case connectionLost = "connection-lost"
    /// The attempt failed as the session's ``URLSessionConfiguration/retryPolicy`` says, and its time to try again has come.
    case failure
    /// The server answered with a status that the policy names.
    case status
    /// What a resumed download began with is no part of what the server has: the whole is loaded.
    case resourceChanged = "resource-changed"
    /// A stored response that was to answer cannot be used: its body has gone, or the 304 was about another one.
    case storedResponseGone = "stored-response-gone"
  }
}
