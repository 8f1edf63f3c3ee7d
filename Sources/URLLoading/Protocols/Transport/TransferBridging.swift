internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

extension URLError {
  /// The error of a transfer: libcurl's message in the description, its code in the underlying error.
  init(_ failure: TransferFailure, url: URL?) {
    if let cause = failure.bodyError as? URLError {
      self = cause
      return
    }
    var information: [String: Any] = [NSLocalizedDescriptionKey: failure.message]
    // The reply of an FTP server tells what is temporary (RFC 959, section 4.2.1).
    if failure.ftpReplyCode > 0 { information["FTPReplyCode"] = failure.ftpReplyCode }
    let underlying: any Error =
      failure.bodyError ?? failure.systemError
      ?? NSError(domain: "libcurl", code: failure.curlCode, userInfo: information)
    self.init(
      failure.urlErrorCode, message: "\(failure.message).", url: url,
      underlying: underlying)
  }
}

extension TransferEngineConfiguration {
  init(_ configuration: URLSessionConfiguration) {
    self.init()
    let environment = configuration.loadEnvironment
    if let environment {
      (userAgent, acceptLanguage) = (environment.userAgent, environment.acceptLanguage)
      tls.caFile = environment.variables["SSL_CERT_FILE"]
      tls.caDirectory = environment.variables["SSL_CERT_DIR"]
    } else {
      (userAgent, acceptLanguage) = (UserAgent.ofProcess, AcceptLanguage.ofProcess)
    }
    sendsDefaultAccept = true
    omittedFields = configuration.httpOmittedHeaders
    maximumConnectionsPerHost = max(0, configuration.httpMaximumConnectionsPerHost)
    if let dictionary = configuration.connectionProxyDictionary {
      proxy = .settings(ProxySettings(ProxyDictionary(dictionary)))
    } else if let environment {
      proxy = .settings(ProxySelector(.environment) { environment.variables[$0] }.settings)
    }
    tls.minimumVersion = TLSConfiguration.Version(configuration.tlsMinimumSupportedProtocolVersion) ?? .v12
    tls.maximumVersion = TLSConfiguration.Version(configuration.tlsMaximumSupportedProtocolVersion)
    if let file = configuration.certificateAuthorityFile {
      tls.caFile = file.path
      tls.caDirectory = nil
    }
    network = NetworkLimits(configuration.network)
    if network.connections.unixSocketPath != nil { proxy = .direct }
    connectionObserver = configuration.connectionObserver
  }
}

extension NetworkLimits {
  init(_ settings: NetworkSettings) {
    self.init()
    addressFamily =
      switch settings.addressFamily {
      case .any: .any
      case .ipv4: .ipv4
      case .ipv6: .ipv6
      }
    hostAddresses = settings.hostAddresses.map { host, addresses in "\(host):\(addresses.joined(separator: ","))" }
      .sorted()
    connections.unixSocketPath = settings.unixSocketPath
    connections.localEnd = LocalEnd(place: settings.localInterface, ports: settings.localPorts)
    connections.maximumIdleTime = Self.seconds(settings.maximumIdleTime)
    connections.maximumAge = Self.seconds(settings.maximumConnectionAge)
    connections.maximumRequests = settings.maximumRequestsPerConnection.flatMap { $0 > 0 ? $0 : nil }
    connections.keepAliveInterval = Self.seconds(settings.keepAliveInterval)
    connectionTimeout = settings.connectionTimeout.flatMap { $0 > 0 ? $0 : nil }
    allowsHTTP2 = settings.maximumHTTPVersion >= .http2
    receiveRate = settings.receiveRate
    sendRate = settings.maximumSentBytesPerSecond.flatMap { $0 > 0 ? $0 : nil }
    recordsRequestHeads = settings.recordsRequestHeads
  }

  /// Whole seconds, of which there is at least one; nil for no limit.
  private static func seconds(_ time: TimeInterval?) -> Int? {
    time.flatMap { $0 > 0 ? Int(min($0, 1_000_000_000).rounded(.up)) : nil }
  }
}

extension TLSConfiguration.Version {
  /// Nil for DTLS. Both count their versions up by one.
  init?(_ version: tls_protocol_version_t) {
    let minor = Int(version.rawValue) - Int(tls_protocol_version_t.TLSv10.rawValue)
    self.init(rawValue: Self.v10.rawValue + minor)
  }
}
