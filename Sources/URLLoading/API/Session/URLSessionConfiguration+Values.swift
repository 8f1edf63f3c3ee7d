internal import URLLoadingBase

/// Where every property of a configuration is declared, with its default and its reach. Accessors have the same names.
extension URLSessionConfiguration {
  struct Values: Sendable {
    @Sent var timeoutIntervalForRequest: TimeInterval = 60
    @Queued var timeoutIntervalForResource: TimeInterval = 604_800
    /// Tasks of the transfer service wait in any case.
    @Local var waitsForConnectivity = false
    @Local var networkServiceType = NSURLRequest.NetworkServiceType.default
    @Sent var httpCookieStorage: HTTPCookieStorage?
    /// The transfer service has what the program's user has stored for ever.
    @Local var urlCredentialStorage: URLCredentialStorage?
    @Local var urlCache: URLCache?
    @Local var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    @Sent var requiresDNSSECValidation = false
    @Sent var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    @Sent var httpShouldSetCookies = true
    @Sent var httpMaximumConnectionsPerHost = 6
    @Local var protocolClasses: [URLProtocol.Type] = []
    @Sent var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12
    @Sent var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13
    @Sent var certificateAuthorityFile: URL?
    @Sent var appTransportSecurity: AppTransportSecurity?
    /// The transfer service tries again by it after statuses; after failures it does so in any case.
    @Sent @Boxed var retryPolicy: URLSessionConfiguration.RetryPolicy?
    @Local var maximumBufferedBytesPerTask = 1 << 20
    @Local var sessionEventListener: (any URLSession.EventListener)?
    @Queued var isDiscretionary = false
    @Queued var sessionSendsLaunchEvents = false
    // No kernel interface tells what a network costs; the transfer service asks NetworkManager.
    @OnlyQueued var allowsCellularAccess = true
    @OnlyQueued var allowsExpensiveNetworkAccess = true
    @OnlyQueued var allowsConstrainedNetworkAccess = true
    @WithoutEffect var httpShouldUsePipelining = false
    @WithoutEffect var enablesEarlyData = false
    @WithoutEffect var multipathServiceType = MultipathServiceType.none
    @WithoutEffect var usesClassicLoadingMode = true
    @WithoutEffect var shouldUseExtendedBackgroundIdleMode = false
    @WithoutEffect var sharedContainerIdentifier: String?
    /// Whether a delegate may be asked about connections: each new connection then takes another handshake.
    @Queued var asksAboutConnections = true
    /// Where downloads write; nil for the temporary directory.
    @Local var downloadDirectory: String?
    /// What a configuration of background sessions has beyond others.
    @Boxed var background: BackgroundSettings?
  }

  // Any-typed dictionaries are not Sendable; they are replaced as a whole under the lock.
  struct Dictionaries: @unchecked Sendable {
    @InRequests var httpAdditionalHeaders: [AnyHashable: Any]?
    @Sent var connectionProxyDictionary: [AnyHashable: Any]?
    /// Those of protocol classes, by their types; the transfer service is told those that are `Codable`.
    var settings: [ObjectIdentifier: any URLProtocolSettings] = [:]
    /// Those of another process, as JSON, by the names of their types.
    var received: [String: Data] = [:]
  }
}
