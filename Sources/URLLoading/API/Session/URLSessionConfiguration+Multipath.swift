extension URLSessionConfiguration {
  /// Whether and how a connection uses several networks at once (RFC 8684).
  @frozen public enum MultipathServiceType: Int, Sendable {
    /// It uses one.
    case none = 0
    /// It moves to another when one is lost.
    case handover = 1
    /// It uses the one that answers faster.
    case interactive = 2
    /// It uses all for more throughput.
    case aggregate = 3
  }
}
