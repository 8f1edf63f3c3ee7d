internal import URLLoadingBase

extension URLSessionConfiguration {
  /// How the transfer service starts this program when ``sessionSendsLaunchEvents`` is true and its tasks are done, or one of them needs
  /// an answer; nil, the default, for not at all. Only of background sessions. Our addition.
  ///
  /// It is started once; again, after a minute, then two, four … and at most six times, where it has not made a session with the
  /// identifier by then.
  public var backgroundLaunch: BackgroundLaunch? {
    get { snapshot.background?.launch }
    set { change { $0.background?.launch = newValue } }
  }

  /// Whether the delegate is asked about servers and identities; true unless set. A background session that says false has loads fail where
  /// a server is not trusted, and not wait for the program.
  package var asksAboutConnections: Bool {
    get { snapshot.asksAboutConnections }
    set { change { $0.asksAboutConnections = newValue } }
  }
}

extension BackgroundSessionDescription {
  /// What the service has to know of a session.
  init(_ settings: BackgroundSettings, _ configuration: URLSessionConfiguration) {
    let values = configuration.snapshot
    self.init(identifier: settings.identifier, program: ProgramDirectories.current.program)
    requestTimeout = values.timeoutIntervalForRequest.isFinite ? values.timeoutIntervalForRequest : nil
    resourceTimeout = values.timeoutIntervalForResource.isFinite ? values.timeoutIntervalForResource : nil
    isDiscretionary = values.isDiscretionary
    allowsExpensiveNetwork = values.allowsExpensiveNetworkAccess && values.allowsCellularAccess
    allowsConstrainedNetwork = values.allowsConstrainedNetworkAccess
    connectionsPerHost = values.httpMaximumConnectionsPerHost
    cookies = values.httpCookieStorage?.directory
    cookieAcceptPolicy = values.httpCookieAcceptPolicy.rawValue
    setsCookies = values.httpShouldSetCookies
    tlsMinimum = values.tlsMinimumSupportedProtocolVersion.rawValue
    tlsMaximum = values.tlsMaximumSupportedProtocolVersion.rawValue
    certificateAuthorityFile = values.certificateAuthorityFile?.path
    requiresDNSSECValidation = values.requiresDNSSECValidation
    proxies = configuration.connectionProxyDictionary.flatMap { BackgroundValues.data(of: $0) }
    transportSecurity = values.appTransportSecurity?.source
    network = configuration.network.sendable
    retryPolicy = values.retryPolicy
    launch = values.sessionSendsLaunchEvents ? settings.launch : nil
    asksAboutServers = values.asksAboutConnections
    self.settings = Self.settings(of: configuration)
    environment = .current
  }

  /// Why the tasks of a session with this description cannot be loaded as its program says; nil where they can.
  /// - Parameter configuration: the session's.
  static func unsendableReason(in configuration: URLSessionConfiguration) -> String? {
    // Whatever is left out of these would be a way past a proxy.
    if let proxies = configuration.connectionProxyDictionary, BackgroundValues.data(of: proxies) == nil {
      return
        "The transfer service cannot be told the values of connectionProxyDictionary: texts, numbers and arrays go there"
    }
    if let path = configuration.network.unixSocketPath {
      return
        "The transfer service loads over the network, and the session's network.unixSocketPath is \(ForeignText.line(path))"
    }
    guard LoadEnvironment.current.isTooLong else { return nil }
    return
      "The environment's variables for proxies and certificates are longer than 64 KiB, which a background session does not take"
  }
}

extension BackgroundSessionDescription {
  /// In bytes: a message has twice as much room, and more than that in Base64.
  private static let largestSettings = 256 << 10

  /// What the service can be told of the settings of protocol classes.
  private static func settings(of configuration: URLSessionConfiguration) -> [String: Data]? {
    var settings = configuration.codableSettings
    // These have a place of their own: they go along however large the others are.
    settings[String(reflecting: NetworkSettings.self)] = nil
    let size = settings.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
    return settings.isEmpty || size > largestSettings ? nil : settings
  }
}

extension URLSessionConfiguration {
  /// The configuration with which the service loads the tasks of a session.
  /// - Parameters:
  ///   - files: the folder that downloads are written to.
  ///   - asksAboutConnections: the delegate is asked about servers, which takes a handshake more for each connection.
  package static func service(
    for description: BackgroundSessionDescription, files: String, asksAboutConnections: Bool = false
  ) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration()
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = description.requestTimeout ?? .infinity
    // The queue has the clock of the whole task.
    configuration.timeoutIntervalForResource = .infinity
    // The service's delegate hears so that there is no network, told from a name that does not exist; the queue does the waiting.
    configuration.waitsForConnectivity = true
    configuration.httpMaximumConnectionsPerHost = description.connectionsPerHost
    configuration.httpCookieStorage = description.cookies.map { HTTPCookieStorage(in: $0) }
    // What the program has stored for ever serves when it does not run; what it answers stays with its sessions.
    configuration.urlCredentialStorage = URLCredentialStorage(
      vault: SecretServiceVault(
        program: description.program, busAddress: ProcessEnvironment.value(of: "DBUS_SESSION_BUS_ADDRESS")))
    configuration.httpCookieAcceptPolicy =
      HTTPCookie.AcceptPolicy(rawValue: description.cookieAcceptPolicy) ?? .onlyFromMainDocumentDomain
    configuration.httpShouldSetCookies = description.setsCookies
    configuration.tlsMinimumSupportedProtocolVersion =
      tls_protocol_version_t(rawValue: description.tlsMinimum) ?? .TLSv12
    configuration.tlsMaximumSupportedProtocolVersion =
      tls_protocol_version_t(rawValue: description.tlsMaximum) ?? .TLSv13
    configuration.certificateAuthorityFile = description.certificateAuthorityFile.map { URL(fileURLWithPath: $0) }
    if let network = description.network { configuration.network = network }
    configuration.retryPolicy = description.retryPolicy
    // The queue tries again after failures, for days, and without a load that waits for it.
    configuration.retryPolicy?.failureCodes = []
    configuration.receive(description.settings ?? [:])
    // Transfers that wait for hours gain nothing by it.
    configuration[QUICSettings.self].isOff = true
    configuration.requiresDNSSECValidation = description.requiresDNSSECValidation
    configuration.connectionProxyDictionary = description.proxies.flatMap { BackgroundValues.dictionary($0) }
    if let source = description.transportSecurity {
      configuration.appTransportSecurity = AppTransportSecurity(source: source)
    }
    configuration.asksAboutConnections = asksAboutConnections
    configuration.loadEnvironment = description.environment
    configuration.change { $0.downloadDirectory = files }
    return configuration
  }
}

extension NetworkSettings {
  /// With finite times: JSON has no others.
  fileprivate var sendable: NetworkSettings {
    func limited(_ time: TimeInterval?) -> TimeInterval? {
      time.flatMap { $0.isNaN ? nil : min(max($0, 0), 1_000_000_000) }
    }
    var copy = self
    copy.connectionTimeout = limited(connectionTimeout)
    copy.maximumIdleTime = limited(maximumIdleTime)
    copy.maximumConnectionAge = limited(maximumConnectionAge)
    copy.keepAliveInterval = limited(keepAliveInterval)
    return copy
  }
}
