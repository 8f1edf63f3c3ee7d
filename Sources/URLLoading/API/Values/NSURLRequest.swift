import Foundation

/// The class behind `URLRequest`, for code that needs an object. Convert with `as`.
open class NSURLRequest: NSObject, NSSecureCoding, NSCopying, NSMutableCopying {
  var request: URLRequest

  /// A request with a timeout of 60 seconds, or of what the session's configuration says.
  public convenience init(url: URL) {
    self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: RequestValues.defaultTimeoutInterval)
    forgetDefaultTimeout()
  }

  /// A request with a timeout of its own, in seconds.
  public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
    request = URLRequest(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
  }

  // Not designated: a subclass of another module inherits convenience initialisers only where it sees all that are.
  convenience init(_ request: URLRequest) {
    self.init(url: Self.anyURL, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 0)
    self.request = request
  }

  private static let anyURL = URL(fileURLWithPath: "/")

  /// Lets the session's configuration decide on the timeout, unless a subclass has chosen another than the default.
  final func forgetDefaultTimeout() {
    if request.timeoutInterval == RequestValues.defaultTimeoutInterval {
      request.change { $0.explicitTimeoutInterval = nil }
    }
  }

  /// Reads an archived request; nil if it is damaged.
  public required init?(coder: NSCoder) {
    guard let request = PropertyListArchive.decode(from: coder).flatMap(URLRequest.init(propertyList:)) else {
      return nil
    }
    self.request = request
  }

  /// Archives the request. A body stream and values attached by protocol classes that a property list
  /// cannot hold are left out.
  open func encode(with coder: NSCoder) {
    PropertyListArchive.encode(request.propertyList, with: coder)
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// A request that cannot change: this one, if it cannot.
  open override func copy() -> Any { copy(with: nil) }

  /// A request that cannot change: this one, if it cannot.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A copy that can change.
  open override func mutableCopy() -> Any { mutableCopy(with: nil) }

  /// A copy that can change.
  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableURLRequest(request)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    switch object {
    case let other as NSURLRequest: request == other.request
    default: false
    }
  }

  open override var hash: Int { request.hashValue }

  open override var description: String { "<\(type(of: self))> { URL: \(request) }" }

  /// What to load.
  open var url: URL? { request.url }

  /// How the load uses the cache.
  open var cachePolicy: CachePolicy { request.cachePolicy }

  /// The longest time without any data before the load fails, in seconds.
  open var timeoutInterval: TimeInterval { request.timeoutInterval }

  /// The URL of the document that this load is a part of.
  open var mainDocumentURL: URL? { request.mainDocumentURL }

  /// What kind of traffic the request is.
  open var networkServiceType: NetworkServiceType { request.networkServiceType }

  /// The method, `GET` by default.
  open var httpMethod: String? { request.httpMethod }

  /// All header fields, or nil if there are none.
  open var allHTTPHeaderFields: [String: String]? { request.allHTTPHeaderFields }

  /// The value of a header field; names are the same in any case.
  open func value(forHTTPHeaderField field: String) -> String? {
    request.value(forHTTPHeaderField: field)
  }

  /// The body to send.
  open var httpBody: Data? { request.httpBody }

  /// The stream to read the body from.
  open var httpBodyStream: InputStream? { request.httpBodyStream }

  /// Whether the load sends and stores cookies.
  open var httpShouldHandleCookies: Bool { request.httpShouldHandleCookies }

  // MARK: What few requests set

  /// Whether the request may go over a cellular network, see ``URLRequest/allowsCellularAccess``.
  open var allowsCellularAccess: Bool { request.allowsCellularAccess }

  /// Whether the request may go over a network that is expensive, see ``URLRequest/allowsExpensiveNetworkAccess``.
  open var allowsExpensiveNetworkAccess: Bool { request.allowsExpensiveNetworkAccess }

  /// Whether the request may go over a network on which the user wants to save data, see
  /// ``URLRequest/allowsConstrainedNetworkAccess``.
  open var allowsConstrainedNetworkAccess: Bool { request.allowsConstrainedNetworkAccess }

  /// Whether the request may be sent before the responses of earlier ones have come. Without effect: libcurl has no pipelining.
  open var httpShouldUsePipelining: Bool { request.httpShouldUsePipelining }

  /// Whether the server is taken to speak HTTP/3 before it has said so. Without effect: loads use HTTP/2 and HTTP/1.1.
  open var assumesHTTP3Capable: Bool { request.assumesHTTP3Capable }

  /// Who caused the request. Without effect on Linux.
  open var attribution: Attribution { request.attribution }

  /// Whether the host's address must be validated by DNSSEC, see ``URLRequest/requiresDNSSECValidation``.
  open var requiresDNSSECValidation: Bool { request.requiresDNSSECValidation }

  /// Keeps the cookies of the request apart, see ``URLRequest/cookiePartitionIdentifier``.
  open var cookiePartitionIdentifier: String? { request.cookiePartitionIdentifier }
}
