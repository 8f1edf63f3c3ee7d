/// The metrics of one request, without its body, the credentials in its fields, and its head as it was sent.
package struct BackgroundTransaction: Codable, Sendable {
  private struct WeakenedCheck: Codable, Sendable {
    /// Its place in `checks`.
    var check: Int
    var reason: String
    var isOfProxy: Bool

    static let checks: [URLSessionTaskTransactionMetrics.WeakenedCheck.Check] = [
      .certificateChain, .hostName, .validity, .revocation,
    ]
  }

  /// A property list.
  private var request: Data
  /// A property list.
  private var response: Data?
  private var fetchStart: Date?
  private var lookupStart: Date?
  private var lookupEnd: Date?
  private var connectStart: Date?
  private var connectEnd: Date?
  private var secureStart: Date?
  private var secureEnd: Date?
  private var requestStart: Date?
  private var requestEnd: Date?
  private var responseStart: Date?
  private var responseEnd: Date?
  private var networkProtocol: String?
  private var isProxied: Bool
  private var isReused: Bool
  private var fetchType: Int
  private var resolution: Int
  /// Bytes of the request's header and body, the latter before it was encoded as well, then of the response's.
  private var counts: [Int64]
  /// Address and port of this end, then of the other.
  private var ends: [String?]
  private var tlsVersion: UInt16?
  private var tlsSuite: UInt16?
  /// What the program has accepted of the server.
  private var weakenedChecks: [WeakenedCheck]?

  init(_ metrics: URLSessionTaskTransactionMetrics) {
    var bodiless = metrics.request
    bodiless.httpBody = nil
    let list = BackgroundValues.data(of: bodiless)
    request = BackgroundValues.withoutSecretFields(list) ?? list
    response = metrics.response.map { BackgroundValues.data(of: $0) }
    fetchStart = metrics.fetchStartDate
    lookupStart = metrics.domainLookupStartDate
    lookupEnd = metrics.domainLookupEndDate
    connectStart = metrics.connectStartDate
    connectEnd = metrics.connectEndDate
    secureStart = metrics.secureConnectionStartDate
    secureEnd = metrics.secureConnectionEndDate
    requestStart = metrics.requestStartDate
    requestEnd = metrics.requestEndDate
    responseStart = metrics.responseStartDate
    responseEnd = metrics.responseEndDate
    networkProtocol = metrics.networkProtocolName
    isProxied = metrics.isProxyConnection
    isReused = metrics.isReusedConnection
    fetchType = metrics.resourceFetchType.rawValue
    resolution = metrics.domainResolutionProtocol.rawValue
    counts = [
      metrics.countOfRequestHeaderBytesSent, metrics.countOfRequestBodyBytesSent,
      metrics.countOfRequestBodyBytesBeforeEncoding, metrics.countOfResponseHeaderBytesReceived,
      metrics.countOfResponseBodyBytesReceived, metrics.countOfResponseBodyBytesAfterDecoding,
    ]
    ends = [metrics.localAddress, metrics.localPort, metrics.remoteAddress, metrics.remotePort]
    tlsVersion = metrics.negotiatedTLSProtocolVersion?.rawValue
    tlsSuite = metrics.negotiatedTLSCipherSuite?.rawValue
    let weakened = metrics.weakenedChecks.compactMap { weakened in
      WeakenedCheck.checks.firstIndex(of: weakened.check).map { index in
        WeakenedCheck(check: index, reason: weakened.reason, isOfProxy: weakened.isOfProxy)
      }
    }
    weakenedChecks = weakened.isEmpty ? nil : weakened
  }

  /// Bytes that it takes in a message, about.
  var size: Int {
    1000 + request.count + (response?.count ?? 0) + (weakenedChecks ?? []).reduce(0) { $0 + $1.reason.utf8.count }
  }

  /// Nil where the request cannot be read.
  var metrics: URLSessionTaskTransactionMetrics? {
    guard let request = BackgroundValues.request(request) else { return nil }
    let metrics = URLSessionTaskTransactionMetrics(request: request)
    metrics.response = response.flatMap { BackgroundValues.response($0) }
    setDates(of: metrics)
    metrics.networkProtocolName = networkProtocol
    metrics.isProxyConnection = isProxied
    metrics.isReusedConnection = isReused
    metrics.resourceFetchType = URLSessionTaskMetrics.ResourceFetchType(rawValue: fetchType) ?? .unknown
    metrics.domainResolutionProtocol = URLSessionTaskMetrics.DomainResolutionProtocol(rawValue: resolution) ?? .unknown
    if counts.count == 6 {
      metrics.countOfRequestHeaderBytesSent = counts[0]
      metrics.countOfRequestBodyBytesSent = counts[1]
      metrics.countOfRequestBodyBytesBeforeEncoding = counts[2]
      metrics.countOfResponseHeaderBytesReceived = counts[3]
      metrics.countOfResponseBodyBytesReceived = counts[4]
      metrics.countOfResponseBodyBytesAfterDecoding = counts[5]
    }
    if ends.count == 4 {
      (metrics.localAddress, metrics.localPort) = (ends[0], ends[1])
      (metrics.remoteAddress, metrics.remotePort) = (ends[2], ends[3])
    }
    metrics.negotiatedTLSProtocolVersion = tlsVersion.flatMap { tls_protocol_version_t(rawValue: $0) }
    metrics.negotiatedTLSCipherSuite = tlsSuite.flatMap { tls_ciphersuite_t(rawValue: $0) }
    metrics.weakenedChecks = (weakenedChecks ?? []).compactMap { weakened in
      guard WeakenedCheck.checks.indices.contains(weakened.check) else { return nil }
      return URLSessionTaskTransactionMetrics.WeakenedCheck(
        check: WeakenedCheck.checks[weakened.check], reason: weakened.reason, cause: .delegate,
        isOfProxy: weakened.isOfProxy)
    }
    return metrics
  }

  private func setDates(of metrics: URLSessionTaskTransactionMetrics) {
    metrics.fetchStartDate = fetchStart
    metrics.domainLookupStartDate = lookupStart
    metrics.domainLookupEndDate = lookupEnd
    metrics.connectStartDate = connectStart
    metrics.connectEndDate = connectEnd
    metrics.secureConnectionStartDate = secureStart
    metrics.secureConnectionEndDate = secureEnd
    metrics.requestStartDate = requestStart
    metrics.requestEndDate = requestEnd
    metrics.responseStartDate = responseStart
    metrics.responseEndDate = responseEnd
  }
}
