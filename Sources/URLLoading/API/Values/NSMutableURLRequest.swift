import Foundation

/// A request object that can change. `as URLRequest` takes a copy of what it is at that moment, what
/// protocol classes attached included.
open class NSMutableURLRequest: NSURLRequest {
  /// A request with a timeout of 60 seconds, or of what the session's configuration says.
  public convenience init(url: URL) {
    self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: RequestValues.defaultTimeoutInterval)
    forgetDefaultTimeout()
  }

  /// A request with a timeout of its own, in seconds.
  public override init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
    super.init(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
  }

  /// Reads an archived request; nil if it is damaged.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// A request that cannot change, of what this one is now.
  open override func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(request) }

  /// What to load.
  open override var url: URL? {
    get { request.url }
    set { request.url = newValue }
  }

  /// How the load uses the cache.
  open override var cachePolicy: CachePolicy {
    get { request.cachePolicy }
    set { request.cachePolicy = newValue }
  }

  /// The longest time without any data before the load fails, in seconds.
  open override var timeoutInterval: TimeInterval {
    get { request.timeoutInterval }
    set { request.timeoutInterval = newValue }
  }

  /// The URL of the document that this load is a part of.
  open override var mainDocumentURL: URL? {
    get { request.mainDocumentURL }
    set { request.mainDocumentURL = newValue }
  }

  /// What kind of traffic the request is.
  open override var networkServiceType: NetworkServiceType {
    get { request.networkServiceType }
    set { request.networkServiceType = newValue }
  }

  /// The method, `GET` by default. Standard methods are put in upper case.
  open override var httpMethod: String? {
    get { request.httpMethod }
    set { request.httpMethod = newValue }
  }

  /// All header fields. Setting replaces all.
  open override var allHTTPHeaderFields: [String: String]? {
    get { request.allHTTPHeaderFields }
    set { request.allHTTPHeaderFields = newValue }
  }

  /// Sets a header field, or removes it with nil.
  open func setValue(_ value: String?, forHTTPHeaderField field: String) {
    request.setValue(value, forHTTPHeaderField: field)
  }

  /// Adds a value to a header field, after a comma if the field has one already.
  open func addValue(_ value: String, forHTTPHeaderField field: String) {
    request.addValue(value, forHTTPHeaderField: field)
  }

  /// The body to send. Setting it removes the body stream.
  open override var httpBody: Data? {
    get { request.httpBody }
    set { request.httpBody = newValue }
  }

  /// The stream to read the body from. Setting it removes the body data.
  open override var httpBodyStream: InputStream? {
    get { request.httpBodyStream }
    set { request.httpBodyStream = newValue }
  }

  /// Whether the load sends and stores cookies.
  open override var httpShouldHandleCookies: Bool {
    get { request.httpShouldHandleCookies }
    set { request.httpShouldHandleCookies = newValue }
  }

  // MARK: What few requests set

  /// Whether the request may go over a cellular network, see ``URLRequest/allowsCellularAccess``.
  open override var allowsCellularAccess: Bool {
    get { request.allowsCellularAccess }
    set { request.allowsCellularAccess = newValue }
  }

  /// Whether the request may go over a network that is expensive, see ``URLRequest/allowsExpensiveNetworkAccess``.
  open override var allowsExpensiveNetworkAccess: Bool {
    get { request.allowsExpensiveNetworkAccess }
    set { request.allowsExpensiveNetworkAccess = newValue }
  }

  /// Whether the request may go over a network on which the user wants to save data, see
  /// ``URLRequest/allowsConstrainedNetworkAccess``.
  open override var allowsConstrainedNetworkAccess: Bool {
    get { request.allowsConstrainedNetworkAccess }
    set { request.allowsConstrainedNetworkAccess = newValue }
  }

  /// Whether the request may be sent before the responses of earlier ones have come. Without effect: libcurl has no pipelining.
  open override var httpShouldUsePipelining: Bool {
    get { request.httpShouldUsePipelining }
    set { request.httpShouldUsePipelining = newValue }
  }

  /// Whether the server is taken to speak HTTP/3 before it has said so. Without effect: loads use HTTP/2 and HTTP/1.1.
  open override var assumesHTTP3Capable: Bool {
    get { request.assumesHTTP3Capable }
    set { request.assumesHTTP3Capable = newValue }
  }

  /// Who caused the request. Without effect on Linux.
  open override var attribution: Attribution {
    get { request.attribution }
    set { request.attribution = newValue }
  }

  /// Whether the host's address must be validated by DNSSEC, see ``URLRequest/requiresDNSSECValidation``.
  open override var requiresDNSSECValidation: Bool {
    get { request.requiresDNSSECValidation }
    set { request.requiresDNSSECValidation = newValue }
  }

  /// Keeps the cookies of the request apart, see ``URLRequest/cookiePartitionIdentifier``.
  open override var cookiePartitionIdentifier: String? {
    get { request.cookiePartitionIdentifier }
    set { request.cookiePartitionIdentifier = newValue }
  }
}
