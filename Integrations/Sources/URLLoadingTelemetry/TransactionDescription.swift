import URLLoading

/// What OpenTelemetry's conventions say of a request that was sent, and of its answer.
package struct TransactionDescription: Sendable {
  /// `http.response.status_code`; nil where no response of HTTP came.
  package let status: Int?
  /// `network.protocol.version`: `1.1`, `2` or `3`.
  package let version: String?
  /// `network.peer.address`.
  package let peerAddress: String?
  /// `network.peer.port`.
  package let peerPort: Int?
  /// When the last of it came.
  package let end: Date?

  /// Describes a transaction; nil for one that a cache has answered.
  package init?(_ metrics: URLSessionTaskTransactionMetrics) {
    guard metrics.resourceFetchType == .networkLoad else { return nil }
    status = (metrics.response as? HTTPURLResponse)?.statusCode
    version = metrics.networkProtocolName.flatMap { Self.version(in: $0) }
    peerAddress = metrics.remoteAddress
    peerPort = metrics.remotePort.flatMap { Int($0) }
    end = metrics.responseEndDate
  }

  /// The version in a name of ALPN (RFC 7301).
  private static func version(in name: String) -> String? {
    switch name {
    case "h2", "h2c": "2"
    case "h3": "3"
    default: name.hasPrefix("http/") ? String(name.dropFirst(5)) : nil
    }
  }
}
