/// The constant parts of a session: its configuration, what is derived from that, and what its loads share.
struct SessionParts {
  /// The session's own copy.
  let configuration: URLSessionConfiguration
  let values: URLSessionConfiguration.Values
  let additionalHeaders: [(name: String, value: String)]
  let tasks: TaskRegistry
  let components: SessionComponents
  let deadlines: SessionDeadlines
  /// The limits of a load whose request has no timeout of its own.
  let limits: LoadMachine.Limits
  /// Nil where requests are loaded as they are.
  let requestDefaults: RequestDefaults?
  /// Gives requests their cookies; nil where the configuration wants none in them.
  let sentCookies: HTTPCookieStorage?
  /// Takes the cookies of responses; nil where the configuration accepts none.
  let storedCookies: HTTPCookieStorage?
  /// Whether the cookie storage is of a class of the program's, which loads ask by its methods.
  let hasSubclassedCookieStorage: Bool
  /// The HSTS store: that of the cookie storage, else one in memory that is released with the session.
  let policyStorage: HTTPCookieStorage
  /// Whether its requests may go by HTTP/3, whatever they say themselves.
  let mayTakeHTTP3: Bool
  /// Bytes a second that each load receives at most; nil for no limit.
  let receiveRate: Int?
  /// Nil where no load is tried again.
  let retries: SessionRetries?
  /// Which loads go directly; nil where none does.
  let directLane: DirectLane?
  /// The connection to the transfer service; nil for sessions whose tasks this process loads.
  let background: BackgroundSession?

  /// - Parameter hasDelegate: whether loads have a delegate to ask.
  init(configuration given: URLSessionConfiguration, hasDelegate: Bool = false) {
    configuration = Self.copy(of: given)
    var values = configuration.snapshot
    // What one socket has answered is not another's, nor a host's.
    if configuration.network.unixSocketPath != nil { values.urlCache = nil }
    self.values = values
    additionalHeaders = (configuration.httpAdditionalHeaders ?? [:]).map {
      (String(describing: $0.key.base), String(describing: $0.value))
    }
    tasks = TaskRegistry()
    components = SessionComponents(configuration: configuration)
    deadlines = SessionDeadlines(of: tasks)
    limits = values.limits(redirects: configuration.network.maximumRedirects)
    requestDefaults = RequestDefaults(values)
    sentCookies = values.httpShouldSetCookies ? values.httpCookieStorage : nil
    storedCookies = values.httpCookieAcceptPolicy == .never ? nil : values.httpCookieStorage
    hasSubclassedCookieStorage = values.httpCookieStorage?.isSubclassed == true
    policyStorage = values.httpCookieStorage ?? HTTPCookieStorage()
    mayTakeHTTP3 = HTTPRoutes.mayBeTaken(by: configuration)
    receiveRate = configuration.network.receiveRate
    retries = SessionRetries(values.retryPolicy)
    directLane = DirectLane(
      values, storesCookies: storedCookies != nil, policies: policyStorage,
      isPlain: !hasDelegate && receiveRate == nil && requestDefaults == nil && retries == nil
        && !configuration[QUICSettings.self].isOnlyWay
        && configuration[DirectLaneSettings.self].isOpen)
    background = values.background.map { [configuration] settings in
      BackgroundSession(
        BackgroundSessionDescription(settings, configuration), place: .current,
        unsendableReason: BackgroundSessionDescription.unsendableReason(in: configuration))
    }
  }

  static func copy(of configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    (configuration.copy() as? URLSessionConfiguration) ?? configuration
  }
}

extension URLSession {
  var values: URLSessionConfiguration.Values { parts.values }
  var additionalHeaders: [(name: String, value: String)] { parts.additionalHeaders }
  var taskRegistry: TaskRegistry { parts.tasks }
  var components: SessionComponents { parts.components }
  var deadlines: SessionDeadlines { parts.deadlines }
  var limits: LoadMachine.Limits { parts.limits }
  /// How long a load may wait for an answer or for data; nil where that is not limited.
  var idleLimit: Duration? { limits.idle }

  /// Gives a request the configuration's additional header fields that it has no value of its own for.
  func addHeaders(to request: inout URLRequest) {
    if additionalHeaders.isEmpty { return }
    for field in additionalHeaders where request.value(forHTTPHeaderField: field.name) == nil {
      request.setValue(field.value, forHTTPHeaderField: field.name)
    }
  }
}
