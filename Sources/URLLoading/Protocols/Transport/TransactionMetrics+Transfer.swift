internal import URLLoadingCurlTransport

extension URLSessionTaskTransactionMetrics {
  /// The metrics of an exchange, from those of its transfer.
  convenience init(request: URLRequest, metrics transfer: TransferMetrics) {
    self.init(request: request)
    func date(_ seconds: Double?) -> Date? {
      seconds.map { transfer.start.addingTimeInterval((transfer.queueTime ?? 0) + $0) }
    }
    resourceFetchType = .networkLoad
    fetchStartDate = transfer.start
    if !transfer.isReusedConnection {
      domainLookupStartDate = date(0)
      domainLookupEndDate = date(transfer.nameLookup)
      connectStartDate = date(transfer.nameLookup)
      connectEndDate = date(transfer.secureConnection ?? transfer.connect)
      if let secure = transfer.secureConnection {
        secureConnectionStartDate = date(transfer.connect)
        secureConnectionEndDate = date(secure)
      }
    }
    requestStartDate = date(transfer.preTransfer)
    requestEndDate = date(transfer.preTransfer)
    responseStartDate = date(transfer.startTransfer)
    responseEndDate = date(transfer.total)
    isReusedConnection = transfer.isReusedConnection
    isProxyConnection = transfer.isProxyConnection
    networkProtocolName = transfer.networkProtocol
    negotiatedTLSProtocolVersion = transfer.tlsVersion.flatMap { tls_protocol_version_t(rawValue: $0) }
    negotiatedTLSCipherSuite = transfer.tlsCipherSuite.flatMap { tls_ciphersuite_t(rawValue: $0) }
    if let verification = transfer.verification {
      weakenedChecks = WeakenedCheck.all(verification)
      stapledOCSPResponse = StapledOCSPResponse(verification.stapled)
    }
    sentRequestHead = transfer.sentRequestHead
    localAddress = transfer.localAddress
    localPort = transfer.localPort.map(String.init)
    remoteAddress = transfer.remoteAddress
    remotePort = transfer.remotePort.map(String.init)
    countOfRequestHeaderBytesSent = transfer.requestHeaderBytes
    countOfRequestBodyBytesSent = transfer.requestBodyBytes
    countOfRequestBodyBytesBeforeEncoding = transfer.requestBodyBytes
    countOfResponseHeaderBytesReceived = transfer.responseHeaderBytes
    countOfResponseBodyBytesReceived = transfer.responseBodyBytes
    countOfResponseBodyBytesAfterDecoding = transfer.decodedBodyBytes
  }
}
