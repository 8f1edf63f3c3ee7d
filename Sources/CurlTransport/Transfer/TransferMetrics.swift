import Foundation

/// What libcurl knows about a transfer, at its end.
// Safe to share: written before it is published, and only read afterwards.
package final class TransferMetrics: @unchecked Sendable {
  /// For transfers without ``TransferRequest/wantsMetrics``.
  static let unknown = TransferMetrics()

  /// When the engine began with the transfer.
  package var start = Date(timeIntervalSinceReferenceDate: 0)
  /// Seconds from the start until a connection was opened or reused; nil if that never happened.
  package var queueTime: Double?

  // The following are seconds after the end of the queue. Those of name lookup, connecting and TLS are 0 when a
  // connection was reused. Nil when the transfer did not get there.

  /// The host's name was resolved.
  package var nameLookup: Double?
  /// The connection to the host, or to the proxy, was open.
  package var connect: Double?
  /// The TLS handshake was done.
  package var secureConnection: Double?
  /// The request was about to be sent.
  package var preTransfer: Double?
  /// The first byte of the response had arrived.
  package var startTransfer: Double?
  /// The transfer was over.
  package var total: Double = 0

  /// No connection had to be opened.
  package var isReusedConnection = false
  /// A proxy was used.
  package var isProxyConnection = false
  /// The protocol by its ALPN name (`http/1.1`, `h2`, `h3`), or `ftp`. Nil when no response came.
  package var networkProtocol: String?
  /// How the server was verified; nil where libcurl did that, and for connections without TLS.
  package var verification: ConnectionVerification?
  /// The version of TLS as it is on the wire: 0x0303 is 1.2, 0x0304 is 1.3.
  package var tlsVersion: UInt16?
  /// The heads of the requests as they were sent; nil where they are not recorded.
  package var sentRequestHead: String?
  /// The cipher suite's number in IANA's registry.
  package var tlsCipherSuite: UInt16?

  package var localAddress: String?
  package var localPort: Int?
  package var remoteAddress: String?
  package var remotePort: Int?

  /// Bytes of request heads, of all requests that the transfer took.
  package var requestHeaderBytes: Int64 = 0
  /// Bytes of request body that were sent.
  package var requestBodyBytes: Int64 = 0
  /// Bytes of response heads and trailers.
  package var responseHeaderBytes: Int64 = 0
  /// Bytes of response body as they came.
  package var responseBodyBytes: Int64 = 0
  /// Bytes of response body after decoding, as they were delivered.
  package var decodedBodyBytes: Int64 = 0

  package init() {}

  /// Sets the queue time so that no event is later than it was: `elapsed` seconds after the start, all that libcurl counted is past.
  ///
  /// The end of the queue is `noticed` some time after libcurl's clock began: on a busy machine that is milliseconds, by
  /// which a request would seem to be sent after its response had come. The total begins before that clock where the transfer
  /// waited in libcurl for a connection.
  package func recordQueueTime(_ noticed: Double?, elapsed: Double) {
    let last = startTransfer ?? preTransfer ?? secureConnection ?? connect ?? nameLookup ?? 0
    queueTime = noticed.map { max(0, min($0, elapsed - last)) }
    total = min(total, max(last, elapsed - (queueTime ?? 0)))
  }
}
