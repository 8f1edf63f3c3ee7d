internal import URLLoadingBase

// Safe to share: the mutable state is guarded as said below; subclasses answer for theirs.
/// The settings of a session. A session copies its configuration when it is made; changes afterwards do not reach it.
///
/// The article <doc:WithoutEffect> lists the properties that keep their value and have no effect on Linux, and those that have none yet.
///
/// Mutable state: `values` and `dictionaries`, each guarded by its lock.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
  private let values: Locked<Values>
  private let dictionaries: Locked<Dictionaries>

  /// A configuration with the same values as ``default``.
  public override init() {
    values = Locked(Values(httpCookieStorage: .shared, urlCredentialStorage: .shared, urlCache: .shared))
    dictionaries = Locked(Dictionaries())
    super.init()
  }

  private init(values: Values, dictionaries: Dictionaries) {
    self.values = Locked(values)
    self.dictionaries = Locked(dictionaries)
    super.init()
  }

  /// A new configuration that shares `HTTPCookieStorage.shared`, `URLCredentialStorage.shared` and `URLCache.shared`.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

  /// A new configuration with its own storages of cookies and credentials and a cache in memory, which are released with its sessions.
  open class var ephemeral: URLSessionConfiguration {
    URLSessionConfiguration(
      values: Values(
        httpCookieStorage: HTTPCookieStorage(), urlCredentialStorage: URLCredentialStorage(),
        urlCache: URLCache(memoryCapacity: URLCache.defaultMemoryCapacity, diskCapacity: 0)),
      dictionaries: Dictionaries())
  }

  /// A new configuration for a background session, whose downloads and uploads continue when the program has exited; see
  /// <doc:TransfersThatOutliveYourProgram>.
  ///
  /// The service `urlloadd` performs the transfers. The session has no cache, waits for connectivity, and uses the cookies of
  /// `HTTPCookieStorage.shared`; a ``urlCache`` that is set serves its data tasks alone. Tasks report to the delegate: those with a completion
  /// handler fail.
  ///
  /// - Parameter identifier: the name under which the program finds its tasks again: one for each session, the same at each start of the program,
  ///   different from those of the user's other programs, as `org.example.mirror.downloads` is.
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration()
    configuration.urlCache = nil
    configuration.waitsForConnectivity = true
    configuration.sessionSendsLaunchEvents = true
    configuration.change { $0.background = BackgroundSettings(identifier: identifier) }
    return configuration
  }

  /// The identifier of a background session; nil for all others.
  open var identifier: String? { snapshot.background?.identifier }

  /// A copy.
  open override func copy() -> Any { copy(with: nil) }

  /// A copy; it shares the cache and the storages of cookies and credentials.
  open func copy(with zone: NSZone? = nil) -> Any {
    URLSessionConfiguration(values: snapshot, dictionaries: dictionaries.withLock { $0 })
  }

  var snapshot: Values { values.withLock { $0 } }

  func change(_ body: (inout Values) -> Void) { values.withLock { body(&$0) } }

  // MARK: Time

  /// The longest time without progress, in seconds; 60 unless set, `.infinity` for none. A request's own timeout, if
  /// it was set, holds in its place, be it longer or shorter. Does not run while a task is suspended, waits for a free connection, or for a
  /// delegate.
  open var timeoutIntervalForRequest: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForRequest } }
    set { values.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  /// The longest time from a task's first resume to its end, in seconds; 7 days unless set, `.infinity` for none.
  open var timeoutIntervalForResource: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForResource } }
    set { values.withLock { $0.timeoutIntervalForResource = newValue } }
  }

  /// Whether a task waits for connectivity where there is no route or no name service, instead of failing with
  /// `URLError.notConnectedToInternet` or `cannotFindHost`; false unless set.
  ///
  /// It tries again when links, addresses or routes of this machine change, and at least every 30 seconds. The delegate is told once,
  /// by ``URLSessionTaskDelegate/urlSession(_:taskIsWaitingForConnectivity:)``. Meanwhile only ``timeoutIntervalForResource`` runs.
  /// A server that refuses or does not answer, a name that does not exist, and a connection that is lost after it was made fail as
  /// always. Classes that declare ``URLProtocol/Capabilities/connectivity`` wait; of those that come with this package, all that use the
  /// network.
  open var waitsForConnectivity: Bool {
    get { values.withLock { $0.waitsForConnectivity } }
    set { values.withLock { $0.waitsForConnectivity = newValue } }
  }

  /// Which failed loads are tried again, and when; nil, the default, for none. Our addition.
  ///
  /// ```swift
  /// configuration.retryPolicy = URLSessionConfiguration.RetryPolicy()
  /// ```
  ///
  /// It holds for all tasks but WebSocket and stream tasks, by classes that declare ``URLProtocol/Capabilities/retries``. A body that broke
  /// off after its owner had got bytes of it goes on where the server says that it is the same resource, by range and validators; else the
  /// task fails as without a policy. What the cache may answer in the place of an error it answers at once. In background sessions it holds
  /// for statuses; failures are tried again in any case. See <doc:Architecture#Retries>.
  open var retryPolicy: RetryPolicy? {
    get { values.withLock { $0.retryPolicy } }
    set { values.withLock { $0.retryPolicy = newValue } }
  }

  // MARK: HTTP

  /// Fields that every request gets unless it has them. Keys and values that are no strings are taken by their description.
  open var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { dictionaries.withLock { $0.httpAdditionalHeaders } }
    set { dictionaries.withLock { $0.httpAdditionalHeaders = newValue } }
  }

  /// The limit of connections to a host; 6 unless set. HTTP/2 multiplexes all requests over one.
  open var httpMaximumConnectionsPerHost: Int {
    get { values.withLock { $0.httpMaximumConnectionsPerHost } }
    set { values.withLock { $0.httpMaximumConnectionsPerHost = newValue } }
  }

  // MARK: Cache

  /// The cache of responses; nil for none. ``URLCache/shared`` unless set, for
  /// ``ephemeral`` one in memory alone.
  open var urlCache: URLCache? {
    get { values.withLock { $0.urlCache } }
    set { values.withLock { $0.urlCache = newValue } }
  }

  /// How requests use ``urlCache`` whose own policy is ``NSURLRequest/CachePolicy/useProtocolCachePolicy``. Protocol classes find it in
  /// their request, and the task in its `currentRequest`.
  open var requestCachePolicy: NSURLRequest.CachePolicy {
    get { values.withLock { $0.requestCachePolicy } }
    set { values.withLock { $0.requestCachePolicy = newValue } }
  }

  // MARK: Credentials

  /// The credentials that answer challenges before the delegate is called; nil for none.
  open var urlCredentialStorage: URLCredentialStorage? {
    get { values.withLock { $0.urlCredentialStorage } }
    set { values.withLock { $0.urlCredentialStorage = newValue } }
  }

  // MARK: Cookies

  /// The storage of cookies; nil for no cookies.
  open var httpCookieStorage: HTTPCookieStorage? {
    get { values.withLock { $0.httpCookieStorage } }
    set { values.withLock { $0.httpCookieStorage = newValue } }
  }

  /// Which cookies are stored. A storage's own policy applies as well: the stricter of the two decides.
  open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { values.withLock { $0.httpCookieAcceptPolicy } }
    set { values.withLock { $0.httpCookieAcceptPolicy = newValue } }
  }

  /// Whether requests get the cookies of the storage; true unless set.
  open var httpShouldSetCookies: Bool {
    get { values.withLock { $0.httpShouldSetCookies } }
    set { values.withLock { $0.httpShouldSetCookies = newValue } }
  }

  // MARK: Connections

  /// The kind of traffic, as a hint to routers: sets the DSCP of the session's connections (RFC 4594).
  open var networkServiceType: NSURLRequest.NetworkServiceType {
    get { values.withLock { $0.networkServiceType } }
    set { values.withLock { $0.networkServiceType = newValue } }
  }

  /// Proxies by CFNetwork's keys: ``kCFNetworkProxiesHTTPProxy`` and ``kCFNetworkProxiesHTTPPort``, the same for HTTPS, FTP and SOCKS,
  /// ``kCFNetworkProxiesExceptionsList``, a script by ``kCFNetworkProxiesProxyAutoConfigURLString`` …, which goes before all other proxies.
  ///
  /// User and password are those of `HTTPUser` and `HTTPPassword` (`HTTPS…`, `FTP…`, `SOCKS…`), ``kCFStreamPropertySOCKSUser``, or for all
  /// proxies ``kCFProxyUsernameKey``; without them a proxy's question for a login is a challenge. Scripts need the program `urlload-pac`
  /// and libpacparser, see <doc:Architecture>.
  ///
  /// Nil, the default, uses the environment (`http_proxy`, `https_proxy`, `ftp_proxy`, `all_proxy`, `no_proxy`), or, if
  /// none of these is set, the system's settings through libproxy, if that is installed and the program runs on a desktop, see
  /// <doc:Architecture#Proxies>. An empty dictionary means no proxy.
  open var connectionProxyDictionary: [AnyHashable: Any]? {
    get { dictionaries.withLock { $0.connectionProxyDictionary } }
    set { dictionaries.withLock { $0.connectionProxyDictionary = newValue } }
  }

  /// The oldest TLS version to accept; TLS 1.2 unless set.
  open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMinimumSupportedProtocolVersion } }
    set { values.withLock { $0.tlsMinimumSupportedProtocolVersion = newValue } }
  }

  /// The newest TLS version to offer; TLS 1.3 unless set.
  open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMaximumSupportedProtocolVersion } }
    set { values.withLock { $0.tlsMaximumSupportedProtocolVersion = newValue } }
  }

  /// Whether addresses must come from DNS answers that were validated by DNSSEC; false unless set. Holds for every request of the session,
  /// see ``URLRequest/requiresDNSSECValidation``.
  open var requiresDNSSECValidation: Bool {
    get { values.withLock { $0.requiresDNSSECValidation } }
    set { values.withLock { $0.requiresDNSSECValidation = newValue } }
  }

  /// A PEM file of certificate authorities to trust instead of the system's. Not in Apple's API. Nil uses
  /// `SSL_CERT_FILE` and `SSL_CERT_DIR`, or else the system's.
  open var certificateAuthorityFile: URL? {
    get { values.withLock { $0.certificateAuthorityFile } }
    set { values.withLock { $0.certificateAuthorityFile = newValue } }
  }

  /// What loads must at least be secured by, with the keys of Apple's App Transport Security; nil, the default, for no such rules, since
  /// servers on Linux talk plain HTTP to each other. Our addition.
  ///
  /// ```swift
  /// configuration.appTransportSecurity = .infoPlist
  /// ```
  open var appTransportSecurity: AppTransportSecurity? {
    get { values.withLock { $0.appTransportSecurity } }
    set { values.withLock { $0.appTransportSecurity = newValue } }
  }

  // MARK: Loading

  /// The settings of protocol classes, by type.
  ///
  /// ```swift
  /// configuration[TapeSettings.self].drive = "/dev/st1"
  /// ```
  ///
  /// - Returns: what was set, else the defaults.
  public subscript<Settings: URLProtocolSettings>(type: Settings.Type) -> Settings {
    get {
      let (known, hasReceived) = dictionaries.withLock { dictionaries in
        (dictionaries.settings[ObjectIdentifier(type)] as? Settings, !dictionaries.received.isEmpty)
      }
      return known ?? (hasReceived ? received(type) : nil) ?? Settings()
    }
    set { dictionaries.withLock { $0.settings[ObjectIdentifier(type)] = newValue } }
  }

  /// Reads settings of another process, once; nil where there are none that can be read.
  private func received<Settings: URLProtocolSettings>(_ type: Settings.Type) -> Settings? {
    let name = String(reflecting: type)
    guard let decodable = type as? any Decodable.Type, let data = dictionaries.withLock({ $0.received[name] }) else {
      return nil
    }
    guard let settings = (try? JSONDecoder().decode(decodable, from: data)) as? Settings else {
      // It will never be readable; otherwise each access would try again.
      dictionaries.withLock { $0.received[name] = nil }
      return nil
    }
    dictionaries.withLock { dictionaries in
      if dictionaries.settings[ObjectIdentifier(type)] == nil {
        dictionaries.settings[ObjectIdentifier(type)] = settings
      }
    }
    return settings
  }

  /// The settings whose types are `Codable`, as JSON by the names of their types: what another process can be told.
  var codableSettings: [String: Data] {
    let settings = dictionaries.withLock { Array($0.settings.values) }
    let encoder = JSONEncoder()
    // The same text for the same values: it tells whether a session has changed.
    encoder.outputFormatting = .sortedKeys
    return settings.reduce(into: [:]) { list, settings in
      guard let settings = settings as? any Codable else { return }
      let name = String(reflecting: type(of: settings))
      // The names of private and local types contain an address, which differs between processes.
      guard !name.contains("(unknown context at ") else { return }
      list[name] = try? encoder.encode(settings)
    }
  }

  /// Takes settings of another process, which have an effect for types that have none set here.
  /// - Parameter settings: what ``codableSettings`` are there.
  func receive(_ settings: [String: Data]) { dictionaries.withLock { $0.received = settings } }

  /// The classes that a session asks first whether they load a request, in this order. The built-in classes need not be among them.
  open var protocolClasses: [AnyClass]? {
    get { values.withLock { $0.protocolClasses } }
    set { values.withLock { $0.protocolClasses = (newValue ?? []).compactMap { $0 as? URLProtocol.Type } } }
  }

  /// Bytes of a body that may wait for a slow delegate or stream before the sender is paused; 1 MiB unless set. Our addition.
  open var maximumBufferedBytesPerTask: Int {
    get { values.withLock { $0.maximumBufferedBytesPerTask } }
    set { values.withLock { $0.maximumBufferedBytesPerTask = max(1, newValue) } }
  }

  /// A listener for all events of the session's loads; nil unless set. Our addition. For several see
  /// ``URLSession/EventForwarder``.
  open var sessionEventListener: (any URLSession.EventListener)? {
    get { values.withLock { $0.sessionEventListener } }
    set { values.withLock { $0.sessionEventListener = newValue } }
  }

  // MARK: Without effect on Linux

  /// Whether loads may use a cellular network; true unless set.
  open var allowsCellularAccess: Bool {
    get { values.withLock { $0.allowsCellularAccess } }
    set { values.withLock { $0.allowsCellularAccess = newValue } }
  }

  /// Whether loads may use an expensive network; true unless set.
  open var allowsExpensiveNetworkAccess: Bool {
    get { values.withLock { $0.allowsExpensiveNetworkAccess } }
    set { values.withLock { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether loads may use a network in Low Data Mode; true unless set.
  open var allowsConstrainedNetworkAccess: Bool {
    get { values.withLock { $0.allowsConstrainedNetworkAccess } }
    set { values.withLock { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Whether connections use several networks at once; not, unless set.
  open var multipathServiceType: MultipathServiceType {
    get { values.withLock { $0.multipathServiceType } }
    set { values.withLock { $0.multipathServiceType = newValue } }
  }

  /// Whether HTTP/1.1 requests are pipelined; false unless set. libcurl has no pipelining; HTTP/2 multiplexes requests in any case.
  open var httpShouldUsePipelining: Bool {
    get { values.withLock { $0.httpShouldUsePipelining } }
    set { values.withLock { $0.httpShouldUsePipelining = newValue } }
  }

  /// Whether requests may be sent as TLS early data (0-RTT, RFC 8470); false unless set. libcurl sends none.
  open var enablesEarlyData: Bool {
    get { values.withLock { $0.enablesEarlyData } }
    set { values.withLock { $0.enablesEarlyData = newValue } }
  }

  /// Which of the two loaders of Apple's systems is used; true unless set. There is one here.
  open var usesClassicLoadingMode: Bool {
    get { values.withLock { $0.usesClassicLoadingMode } }
    set { values.withLock { $0.usesClassicLoadingMode = newValue } }
  }

  /// Whether connections stay open when the program goes to the background; false unless set. Programs on Linux run on.
  open var shouldUseExtendedBackgroundIdleMode: Bool {
    get { values.withLock { $0.shouldUseExtendedBackgroundIdleMode } }
    set { values.withLock { $0.shouldUseExtendedBackgroundIdleMode = newValue } }
  }

  /// The container that programs of a group share for the files of background sessions; nil unless set. Linux has no such containers.
  open var sharedContainerIdentifier: String? {
    get { values.withLock { $0.sharedContainerIdentifier } }
    set { values.withLock { $0.sharedContainerIdentifier = newValue } }
  }

  // MARK: Background sessions

  /// Whether background tasks are discretionary: scheduled when the system is idle; false unless set. They have the lowest priority then,
  /// and are not loaded over a metered network.
  open var isDiscretionary: Bool {
    get { values.withLock { $0.isDiscretionary } }
    set { values.withLock { $0.isDiscretionary = newValue } }
  }

  /// Whether the program is started when background tasks are done or need it, as ``backgroundLaunch`` says; true for
  /// ``background(withIdentifier:)``, else false.
  open var sessionSendsLaunchEvents: Bool {
    get { values.withLock { $0.sessionSendsLaunchEvents } }
    set { values.withLock { $0.sessionSendsLaunchEvents = newValue } }
  }
}
