/// What holds for all transfers of an engine.
package struct TransferEngineConfiguration: Sendable, Equatable {
  /// Connections that may be open to one host at a time; 0 for no limit.
  package var maximumConnectionsPerHost = 6
  /// The User-Agent of requests that have none; nil sends none.
  package var userAgent: String?
  /// The Accept-Language of requests that have none; nil sends none.
  package var acceptLanguage: String?
  /// Requests without an Accept field get `*/*`.
  package var sendsDefaultAccept = false
  /// Lowercase names of fields that requests omit, including those that libcurl adds.
  package var omittedFields: Set<String> = []
  package var proxy = ProxyConfiguration.environment
  package var tls = TLSConfiguration()
  package var network = NetworkLimits()
  /// Whether libcurl uses the OpenSSL that this package is linked with, as evaluating a handshake requires; nil to
  /// detect it.
  package var usesLinkedOpenSSL: Bool?

  /// Is told of connections; nil where nobody wants to know.
  package var connectionObserver: ConnectionObserver?

  /// URLs are given to libcurl in two parts where that comes to the same; see EasyHandle+URL.
  package var splitsURLs = true

  package init() {}
}
