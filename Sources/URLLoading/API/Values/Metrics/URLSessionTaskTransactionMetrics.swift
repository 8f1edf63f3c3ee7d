internal import URLLoadingBase

// Mutable state: `values`, guarded by its lock. A protocol fills it on its own thread while the load may look at it.
// Safe to share: see above; everything else is immutable, and subclasses answer for theirs.
/// What happened in one request and its response.
///
/// A protocol class makes one for each request that it sends, sets what it knows, and passes it to its client.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  private struct Values: Sendable {
    var response: URLResponse?
    var fetchStartDate: Date?
    var domainLookupStartDate: Date?
    var domainLookupEndDate: Date?
    var connectStartDate: Date?
    var connectEndDate: Date?
    var secureConnectionStartDate: Date?
    var secureConnectionEndDate: Date?
    var requestStartDate: Date?
    var requestEndDate: Date?
    var responseStartDate: Date?
    var responseEndDate: Date?
    var networkProtocolName: String?
    var isProxyConnection = false
    var isReusedConnection = false
    var resourceFetchType = URLSessionTaskMetrics.ResourceFetchType.unknown
    var domainResolutionProtocol = URLSessionTaskMetrics.DomainResolutionProtocol.unknown
    var countOfRequestHeaderBytesSent = Int64(0)
    var countOfRequestBodyBytesSent = Int64(0)
    var countOfRequestBodyBytesBeforeEncoding = Int64(0)
    var countOfResponseHeaderBytesReceived = Int64(0)
    var countOfResponseBodyBytesReceived = Int64(0)
    var countOfResponseBodyBytesAfterDecoding = Int64(0)
    var localAddress: String?
    var localPort: String?
    var remoteAddress: String?
    var remotePort: String?
    var negotiatedTLSProtocolVersion: tls_protocol_version_t?
    var negotiatedTLSCipherSuite: tls_ciphersuite_t?
    var weakenedChecks: [WeakenedCheck] = []
    var stapledOCSPResponse: StapledOCSPResponse?
    var sentRequestHead: String?
  }

  private let values = Locked(Values())

  /// The request as it was sent.
  public let request: URLRequest

  /// Metrics of which nothing is known but the request.
  public init(request: URLRequest) {
    self.request = request
  }

  open override var description: String {
    "<\(type(of: self))> { request: \(request), protocol: \(networkProtocolName ?? "nil"), fetch type: "
      + "\(resourceFetchType) }"
  }

  /// The response, if there was one.
  public var response: URLResponse? {
    get { values.withLock { $0.response } }
    set { values.withLock { $0.response = newValue } }
  }

  /// When the load began to fetch the resource, from the network or elsewhere.
  public var fetchStartDate: Date? {
    get { values.withLock { $0.fetchStartDate } }
    set { values.withLock { $0.fetchStartDate = newValue } }
  }

  /// When the lookup of the host's name began; nil if there was none, as on a reused connection.
  public var domainLookupStartDate: Date? {
    get { values.withLock { $0.domainLookupStartDate } }
    set { values.withLock { $0.domainLookupStartDate = newValue } }
  }

  /// When the lookup of the host's name was done.
  public var domainLookupEndDate: Date? {
    get { values.withLock { $0.domainLookupEndDate } }
    set { values.withLock { $0.domainLookupEndDate = newValue } }
  }

  /// When the connection began to be made; nil if one was reused.
  public var connectStartDate: Date? {
    get { values.withLock { $0.connectStartDate } }
    set { values.withLock { $0.connectStartDate = newValue } }
  }

  /// When the connection was ready, encryption included.
  public var connectEndDate: Date? {
    get { values.withLock { $0.connectEndDate } }
    set { values.withLock { $0.connectEndDate = newValue } }
  }

  /// When the TLS handshake began; nil without one.
  public var secureConnectionStartDate: Date? {
    get { values.withLock { $0.secureConnectionStartDate } }
    set { values.withLock { $0.secureConnectionStartDate = newValue } }
  }

  /// When the TLS handshake was done.
  public var secureConnectionEndDate: Date? {
    get { values.withLock { $0.secureConnectionEndDate } }
    set { values.withLock { $0.secureConnectionEndDate = newValue } }
  }

  /// When the request began to be sent.
  public var requestStartDate: Date? {
    get { values.withLock { $0.requestStartDate } }
    set { values.withLock { $0.requestStartDate = newValue } }
  }

  /// When the request was sent.
  public var requestEndDate: Date? {
    get { values.withLock { $0.requestEndDate } }
    set { values.withLock { $0.requestEndDate = newValue } }
  }

  /// When the first byte of the response came.
  public var responseStartDate: Date? {
    get { values.withLock { $0.responseStartDate } }
    set { values.withLock { $0.responseStartDate = newValue } }
  }

  /// When the last byte of the response came.
  public var responseEndDate: Date? {
    get { values.withLock { $0.responseEndDate } }
    set { values.withLock { $0.responseEndDate = newValue } }
  }

  /// The protocol by its ALPN name: `http/1.1`, `h2`, `h3`; other schemes name their own.
  public var networkProtocolName: String? {
    get { values.withLock { $0.networkProtocolName } }
    set { values.withLock { $0.networkProtocolName = newValue } }
  }

  /// Whether the connection went through a proxy.
  public var isProxyConnection: Bool {
    get { values.withLock { $0.isProxyConnection } }
    set { values.withLock { $0.isProxyConnection = newValue } }
  }

  /// Whether the connection had served an earlier request.
  public var isReusedConnection: Bool {
    get { values.withLock { $0.isReusedConnection } }
    set { values.withLock { $0.isReusedConnection = newValue } }
  }

  /// Where the resource came from.
  public var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType {
    get { values.withLock { $0.resourceFetchType } }
    set { values.withLock { $0.resourceFetchType = newValue } }
  }

  /// How the host's name was resolved.
  public var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol {
    get { values.withLock { $0.domainResolutionProtocol } }
    set { values.withLock { $0.domainResolutionProtocol = newValue } }
  }

  /// The bytes of the request's header that were sent.
  public var countOfRequestHeaderBytesSent: Int64 {
    get { values.withLock { $0.countOfRequestHeaderBytesSent } }
    set { values.withLock { $0.countOfRequestHeaderBytesSent = newValue } }
  }

  /// The bytes of the request's body that were sent, as encoded for the transfer.
  public var countOfRequestBodyBytesSent: Int64 {
    get { values.withLock { $0.countOfRequestBodyBytesSent } }
    set { values.withLock { $0.countOfRequestBodyBytesSent = newValue } }
  }

  /// The bytes of the request's body before they were encoded.
  public var countOfRequestBodyBytesBeforeEncoding: Int64 {
    get { values.withLock { $0.countOfRequestBodyBytesBeforeEncoding } }
    set { values.withLock { $0.countOfRequestBodyBytesBeforeEncoding = newValue } }
  }

  /// The bytes of the response's header that came.
  public var countOfResponseHeaderBytesReceived: Int64 {
    get { values.withLock { $0.countOfResponseHeaderBytesReceived } }
    set { values.withLock { $0.countOfResponseHeaderBytesReceived = newValue } }
  }

  /// The bytes of the response's body that came, as encoded for the transfer.
  public var countOfResponseBodyBytesReceived: Int64 {
    get { values.withLock { $0.countOfResponseBodyBytesReceived } }
    set { values.withLock { $0.countOfResponseBodyBytesReceived = newValue } }
  }

  /// The bytes of the response's body after they were decoded.
  public var countOfResponseBodyBytesAfterDecoding: Int64 {
    get { values.withLock { $0.countOfResponseBodyBytesAfterDecoding } }
    set { values.withLock { $0.countOfResponseBodyBytesAfterDecoding = newValue } }
  }

  /// The address of this end of the connection.
  public var localAddress: String? {
    get { values.withLock { $0.localAddress } }
    set { values.withLock { $0.localAddress = newValue } }
  }

  /// The port of this end of the connection, in digits.
  public var localPort: String? {
    get { values.withLock { $0.localPort } }
    set { values.withLock { $0.localPort = newValue } }
  }

  /// The address of the other end of the connection.
  public var remoteAddress: String? {
    get { values.withLock { $0.remoteAddress } }
    set { values.withLock { $0.remoteAddress = newValue } }
  }

  /// The port of the other end of the connection, in digits.
  public var remotePort: String? {
    get { values.withLock { $0.remotePort } }
    set { values.withLock { $0.remotePort = newValue } }
  }

  /// The version of TLS, if the connection is encrypted.
  public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
    get { values.withLock { $0.negotiatedTLSProtocolVersion } }
    set { values.withLock { $0.negotiatedTLSProtocolVersion = newValue } }
  }

  /// The cipher suite of TLS, if the connection is encrypted.
  public var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
    get { values.withLock { $0.negotiatedTLSCipherSuite } }
    set { values.withLock { $0.negotiatedTLSCipherSuite = newValue } }
  }

  /// Whether the connection used a cellular network. Always false: Linux does not say.
  public var isCellular: Bool { false }

  /// Whether the connection used a network the system calls expensive. Always false: Linux does not say.
  public var isExpensive: Bool { false }

  /// Whether the connection used a network in low data mode. Always false: Linux does not say.
  public var isConstrained: Bool { false }

  /// Whether the connection used multipath TCP. Always false: Linux does not say.
  public var isMultipath: Bool { false }

  /// The checks of the server, and of an HTTPS proxy before it, that failed and that something overrode; empty for those that are trusted,
  /// and without TLS. Our addition.
  public var weakenedChecks: [WeakenedCheck] {
    get { values.withLock { $0.weakenedChecks } }
    set { values.withLock { $0.weakenedChecks = newValue } }
  }

  /// The head of the request as it was sent, its first line and fields in their order, with their secrets; where libcurl sent several, as for
  /// a tunnel or a login, all of them. Nil unless ``NetworkSettings/recordsRequestHeads`` is set. Our addition.
  public var sentRequestHead: String? {
    get { values.withLock { $0.sentRequestHead } }
    set { values.withLock { $0.sentRequestHead = newValue } }
  }

  /// What the OCSP response says that the server sent along. Nil where the session's delegate judges no servers: a revoked certificate
  /// fails there, too. Our addition.
  public var stapledOCSPResponse: StapledOCSPResponse? {
    get { values.withLock { $0.stapledOCSPResponse } }
    set { values.withLock { $0.stapledOCSPResponse = newValue } }
  }
}
