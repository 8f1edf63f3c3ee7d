internal import URLLoadingBase

// Safe to share: the mutable state is guarded as said below; subclasses answer for theirs.
/// The settings of a session. A session copies its configuration when it is made; changes afterwards do not reach it.
///
/// Every property here takes effect. Properties of Apple's class that are not here have no meaning on Linux or are not implemented yet.
///
/// Mutable state: `values` and `dictionaries`, each guarded by its lock.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
  struct Values: Sendable {
    var timeoutIntervalForRequest: TimeInterval = 60
    var timeoutIntervalForResource: TimeInterval = 604_800
    var networkServiceType = NSURLRequest.NetworkServiceType.default
    var httpCookieStorage: HTTPCookieStorage?
    var urlCredentialStorage: URLCredentialStorage?
    var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    var httpShouldSetCookies = true
    var httpMaximumConnectionsPerHost = 6
    var protocolClasses: [URLProtocol.Type] = []
    var tlsMinimum = tls_protocol_version_t.TLSv12
    var tlsMaximum = tls_protocol_version_t.TLSv13
    var certificateAuthorityFile: URL?
    var maximumBufferedBytesPerTask = 1 << 20
  }

  // Any-typed dictionaries are not Sendable; they are replaced as a whole under the lock.
  private struct Dictionaries: @unchecked Sendable {
    var httpAdditionalHeaders: [AnyHashable: Any]?
    var connectionProxyDictionary: [AnyHashable: Any]?
    /// By their types.
    var settings: [ObjectIdentifier: any URLProtocolSettings] = [:]
  }

  private let values: Locked<Values>
  private let dictionaries: Locked<Dictionaries>

  /// A configuration with the same values as ``default``.
  public override init() {
    values = Locked(Values(httpCookieStorage: .shared, urlCredentialStorage: .shared))
    dictionaries = Locked(Dictionaries())
    super.init()
  }

  private init(values: Values, dictionaries: Dictionaries) {
    self.values = Locked(values)
    self.dictionaries = Locked(dictionaries)
    super.init()
  }

  /// A new configuration that shares `HTTPCookieStorage.shared` and `URLCredentialStorage.shared`.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

  /// A new configuration with storages of its own for cookies and credentials, which go when its sessions do.
  open class var ephemeral: URLSessionConfiguration {
    URLSessionConfiguration(
      values: Values(httpCookieStorage: HTTPCookieStorage(), urlCredentialStorage: URLCredentialStorage()),
      dictionaries: Dictionaries())
  }

  /// A copy.
  open override func copy() -> Any { copy(with: nil) }

  /// A copy; it shares the storages of cookies and credentials.
  open func copy(with zone: NSZone? = nil) -> Any {
    URLSessionConfiguration(values: snapshot, dictionaries: dictionaries.withLock { $0 })
  }

  var snapshot: Values { values.withLock { $0 } }

  // MARK: Time

  /// The longest time without progress, in seconds; 60 unless set, `.infinity` for none. A request's own timeout goes
  /// first unless this one is stricter. Does not run while a task is suspended, waits for a free connection, or for a delegate.
  open var timeoutIntervalForRequest: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForRequest } }
    set { values.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  /// The longest time from a task's first resume to its end, in seconds; 7 days unless set, `.infinity` for none.
  open var timeoutIntervalForResource: TimeInterval {
    get { values.withLock { $0.timeoutIntervalForResource } }
    set { values.withLock { $0.timeoutIntervalForResource = newValue } }
  }

  // MARK: HTTP

  /// Fields that every request gets unless it has them. Keys and values that are no strings are taken by their description.
  open var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { dictionaries.withLock { $0.httpAdditionalHeaders } }
    set { dictionaries.withLock { $0.httpAdditionalHeaders = newValue } }
  }

  /// Connections to one host at a time; 6 unless set. Over HTTP/2 one is enough for all requests.
  open var httpMaximumConnectionsPerHost: Int {
    get { values.withLock { $0.httpMaximumConnectionsPerHost } }
    set { values.withLock { $0.httpMaximumConnectionsPerHost = newValue } }
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

  /// Proxies by CFNetwork's keys (`HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same with `HTTPS` and `SOCKS`, `ExceptionsList` …).
  /// Nil, the default, goes by the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`); empty means no proxy.
  open var connectionProxyDictionary: [AnyHashable: Any]? {
    get { dictionaries.withLock { $0.connectionProxyDictionary } }
    set { dictionaries.withLock { $0.connectionProxyDictionary = newValue } }
  }

  /// The oldest TLS version to accept; TLS 1.2 unless set.
  open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMinimum } }
    set { values.withLock { $0.tlsMinimum = newValue } }
  }

  /// The newest TLS version to offer; TLS 1.3 unless set.
  open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
    get { values.withLock { $0.tlsMaximum } }
    set { values.withLock { $0.tlsMaximum = newValue } }
  }

  /// A PEM file of certificate authorities to trust instead of the system's. Our addition. Nil goes by
  /// `SSL_CERT_FILE` and `SSL_CERT_DIR`, else the system's.
  open var certificateAuthorityFile: URL? {
    get { values.withLock { $0.certificateAuthorityFile } }
    set { values.withLock { $0.certificateAuthorityFile = newValue } }
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
    get { dictionaries.withLock { $0.settings[ObjectIdentifier(type)] as? Settings } ?? Settings() }
    set { dictionaries.withLock { $0.settings[ObjectIdentifier(type)] = newValue } }
  }

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
}
