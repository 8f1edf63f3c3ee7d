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

  /// As ``BackgroundValues`` has it.
  private var request: Data
  /// As ``BackgroundValues`` has it.
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
  private var weakenedChecks: [WeakenedCheck]

  init(_ metrics: URLSessionTaskTransactionMetrics) {
    var bodiless = metrics.request
    bodiless.httpBody = nil
    request = BackgroundValues.data(of: bodiless.withoutSecrets ?? bodiless)
    response = metrics.response.map { BackgroundValues.data(of: $0.withoutSecrets) }
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
    weakenedChecks = metrics.weakenedChecks.compactMap { weakened in
      WeakenedCheck.checks.firstIndex(of: weakened.check).map { index in
        WeakenedCheck(check: index, reason: weakened.reason, isOfProxy: weakened.isOfProxy)
      }
    }
  }

  /// Bytes that it takes in a message, about.
  var size: Int {
    1000 + request.count + (response?.count ?? 0) + weakenedChecks.reduce(0) { $0 + $1.reason.utf8.count }
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
    metrics.weakenedChecks = weakenedChecks.compactMap { weakened in
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

extension BackgroundTransaction: CompactValue {
  /// More than there are of one server and one proxy.
  private static let mostChecks = 100

  private var dates: [Date?] {
    [
      fetchStart, lookupStart, lookupEnd, connectStart, connectEnd, secureStart, secureEnd, requestStart, requestEnd,
      responseStart, responseEnd,
    ]
  }

  package func write(to writer: inout CompactWriter) {
    writer.bytes(request)
    writer.optional(response) { $0.bytes($1) }
    for date in dates { writer.optional(date) { $0.moment($1) } }
    writer.optional(networkProtocol) { $0.text($1) }
    writer.flag(isProxied)
    writer.flag(isReused)
    writer.integer(fetchType)
    writer.integer(resolution)
    writer.list(Array(counts.prefix(6))) { $0.integer($1) }
    writer.list(Array(ends.prefix(4))) { writer, end in writer.optional(end) { $0.text($1) } }
    writer.optional(tlsVersion) { $0.integer($1) }
    writer.optional(tlsSuite) { $0.integer($1) }
    writer.list(Array(weakenedChecks.prefix(Self.mostChecks))) { writer, weakened in
      writer.integer(weakened.check)
      writer.text(weakened.reason)
      writer.flag(weakened.isOfProxy)
    }
  }

  package init?(reading reader: inout CompactReader) {
    guard let request = reader.bytes(), let response = reader.optional({ $0.bytes() }) else { return nil }
    var dates: [Date?] = []
    for _ in 0..<11 {
      guard let date = reader.optional({ $0.moment() }) else { return nil }
      dates.append(date)
    }
    guard let networkProtocol = reader.optional({ $0.text() }), let isProxied = reader.flag(),
      let isReused = reader.flag(), let fetchType = reader.integer(Int.self), let resolution = reader.integer(Int.self),
      let counts = reader.list(atMost: 6, { $0.integer(Int64.self) }),
      let ends = reader.list(atMost: 4, { $0.optional({ $0.text() }) }),
      let tlsVersion = reader.optional({ $0.integer(UInt16.self) }),
      let tlsSuite = reader.optional({ $0.integer(UInt16.self) }),
      let weakened = reader.list(atMost: Self.mostChecks, { Self.weakenedCheck(&$0) })
    else { return nil }
    (self.request, self.response) = (request, response)
    (fetchStart, lookupStart, lookupEnd) = (dates[0], dates[1], dates[2])
    (connectStart, connectEnd, secureStart, secureEnd) = (dates[3], dates[4], dates[5], dates[6])
    (requestStart, requestEnd, responseStart, responseEnd) = (dates[7], dates[8], dates[9], dates[10])
    self.networkProtocol = networkProtocol
    (self.isProxied, self.isReused, self.fetchType, self.resolution) = (isProxied, isReused, fetchType, resolution)
    (self.counts, self.ends) = (counts, ends)
    (self.tlsVersion, self.tlsSuite) = (tlsVersion, tlsSuite)
    weakenedChecks = weakened
  }

  private static func weakenedCheck(_ reader: inout CompactReader) -> WeakenedCheck? {
    guard let check = reader.integer(Int.self), let reason = reader.text(), let isOfProxy = reader.flag() else {
      return nil
    }
    return WeakenedCheck(check: check, reason: reason, isOfProxy: isOfProxy)
  }
}
