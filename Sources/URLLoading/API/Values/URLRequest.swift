import Foundation
internal import URLLoadingHTTPSemantics

// Sendable in spite of `InputStream` and the values of protocol properties, which may be classes: as with
// Apple's type, a sender of a request must not use these any more. The storage itself is never changed while shared.
/// A request to load a URL, of any scheme.
///
/// Copies are cheap: they share their storage until one of them changes.
public struct URLRequest: @unchecked Sendable {
  /// How a load uses the cache.
  public typealias CachePolicy = NSURLRequest.CachePolicy
  /// What kind of traffic a request is.
  public typealias NetworkServiceType = NSURLRequest.NetworkServiceType

  private final class Storage {
    // Changed only by a request that references the storage alone: accesses to a request, which the compiler checks, are those to this.
    @exclusivity(unchecked) var values: RequestValues

    init(_ values: consuming RequestValues) {
      self.values = values
    }
  }

  private var storage: Storage

  /// A request with a timeout of 60 seconds, or of what the session's configuration says.
  public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy) {
    self.init(RequestValues(url: url, cachePolicy: cachePolicy))
  }

  /// A request with a timeout of its own.
  ///
  /// - Parameters:
  ///   - url: what to load.
  ///   - cachePolicy: how the load uses the cache.
  ///   - timeoutInterval: the longest time without any data, in seconds; fractions count.
  public init(
    url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval
  ) {
    self.init(
      RequestValues(url: url, cachePolicy: cachePolicy, explicitTimeoutInterval: timeoutInterval))
  }

  init(_ values: consuming RequestValues) {
    storage = Storage(values)
  }

  var values: RequestValues { storage.values }

  /// Properties of the URL that every load needs.
  var urlFacts: URLFacts { storage.values.urlFacts }

  /// Whether both are copies of one request. False does not say that they differ.
  func isSame(as other: borrowing URLRequest) -> Bool { storage === other.storage }

  mutating func change(_ body: (inout RequestValues) -> Void) {
    if !isKnownUniquelyReferenced(&storage) {
      storage = Storage(storage.values)
    }
    body(&storage.values)
  }

  /// What to load. A URL that is relative to another becomes absolute, and has no base when it is read.
  public var url: URL? {
    get { storage.values.url }
    set { change { $0.url = newValue } }
  }

  /// How the load uses the cache. In place of ``NSURLRequest/CachePolicy/useProtocolCachePolicy``, the default, the policy of the
  /// session's configuration holds.
  public var cachePolicy: CachePolicy {
    get { storage.values.cachePolicy }
    set { change { $0.cachePolicy = newValue } }
  }

  /// The longest time without any data before the load fails, in seconds; fractions count. 60 by default. An interval that was set, or
  /// given to the initializer, holds in place of the session's `timeoutIntervalForRequest`, be it longer or shorter.
  public var timeoutInterval: TimeInterval {
    get { storage.values.explicitTimeoutInterval ?? RequestValues.defaultTimeoutInterval }
    set { change { $0.explicitTimeoutInterval = newValue } }
  }

  /// The timeout if it was set; else the session's configuration decides.
  var explicitTimeoutInterval: TimeInterval? { storage.values.explicitTimeoutInterval }

  /// The URL of the document that this load is a part of, made absolute as `url` is. It decides which cookies are
  /// third-party ones.
  public var mainDocumentURL: URL? {
    get { storage.values.mainDocumentURL }
    set { change { $0.mainDocumentURL = newValue } }
  }

  /// What kind of traffic the request is.
  public var networkServiceType: NetworkServiceType {
    get { storage.values.networkServiceType }
    set { change { $0.networkServiceType = newValue } }
  }

  /// The method, never nil when read; `GET` by default and when set to nil or to the empty string. The six that Fetch
  /// normalizes (GET, HEAD, POST, PUT, DELETE, OPTIONS) are put in upper case, others stay as they are (RFC 9110 9.1).
  public var httpMethod: String? {
    get { storage.values.method }
    set { change { $0.setMethod(newValue) } }
  }

  /// The method if it was set; else the kind of task decides.
  var explicitMethod: String? { storage.values.explicitMethod }

  /// All header fields, or nil if there are none. Setting replaces all.
  public var allHTTPHeaderFields: [String: String]? {
    get { storage.values.fields.isEmpty ? nil : storage.values.fields.dictionary }
    set { change { $0.fields = HTTPFields(newValue ?? [:]) } }
  }

  /// The header fields in the order in which they were set.
  var fields: HTTPFields {
    get { storage.values.fields }
    set { change { $0.fields = newValue } }
  }

  /// The value of a header field; names are the same in any case.
  public func value(forHTTPHeaderField field: String) -> String? {
    storage.values.fields[field]
  }

  /// Sets a header field, or removes it with nil. The first spelling of a name stays.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
    change { $0.fields[field] = value }
  }

  /// Adds a value to a header field, after a comma if the field has one already.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
    change { $0.fields.join(value, to: field) }
  }

  /// The body to send. Setting it, even to nil, removes the body stream.
  public var httpBody: Data? {
    get { storage.values.body.data }
    set { change { $0.body = newValue.map { .data($0) } ?? .none } }
  }

  /// The stream to read the body from, which the load opens and closes. Setting it, even to nil, removes
  /// `httpBody`. The requests that protocol instances get have both where the body is in memory.
  public var httpBodyStream: InputStream? {
    get { storage.values.body.stream }
    set { change { $0.body = newValue.map { .stream($0) } ?? .none } }
  }

  /// Sets a body that can be read as data and as a stream.
  mutating func setStreamableBody(_ data: Data) {
    change { $0.body = .streamable(StreamableBody(data)) }
  }

  /// Whether the load sends cookies of the session's storage and stores those it gets. True by default.
  public var httpShouldHandleCookies: Bool {
    get { storage.values.handlesCookies }
    set { change { $0.handlesCookies = newValue } }
  }

  /// What a protocol class attached to the request under this key.
  func protocolProperty(forKey key: String) -> Any? {
    storage.values.protocolProperties[key]
  }

  /// Attaches a value to the request for protocol classes to find, or removes it with nil.
  mutating func setProtocolProperty(_ value: Any?, forKey key: String) {
    change { $0.protocolProperties[key] = value }
  }
}

extension URLRequest: Hashable {
  /// Whether both ask for the same in the same way. Body streams are the same only if identical; what
  /// protocol classes attached does not count.
  public static func == (left: URLRequest, right: URLRequest) -> Bool {
    left.storage === right.storage || left.storage.values == right.storage.values
  }

  /// Hashes the main parts of the request.
  public func hash(into hasher: inout Hasher) {
    storage.values.hash(into: &hasher)
  }
}

extension URLRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, without passwords.
  public var description: String { url.map { URLSecrets.cleared($0.absoluteString, .hidePassword) } ?? "url: nil" }

  /// The URL.
  public var debugDescription: String { description }

  /// The properties of the request.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        ("url", url as Any), ("cachePolicy", cachePolicy), ("timeoutInterval", timeoutInterval),
        ("mainDocumentURL", mainDocumentURL as Any), ("networkServiceType", networkServiceType),
        ("httpMethod", httpMethod as Any), ("allHTTPHeaderFields", allHTTPHeaderFields as Any),
        ("httpBody", httpBody as Any), ("httpBodyStream", httpBodyStream as Any),
        ("httpShouldHandleCookies", httpShouldHandleCookies), ("allowsCellularAccess", allowsCellularAccess),
        ("allowsExpensiveNetworkAccess", allowsExpensiveNetworkAccess),
        ("allowsConstrainedNetworkAccess", allowsConstrainedNetworkAccess),
        ("httpShouldUsePipelining", httpShouldUsePipelining), ("assumesHTTP3Capable", assumesHTTP3Capable),
        ("attribution", attribution), ("requiresDNSSECValidation", requiresDNSSECValidation),
        ("cookiePartitionIdentifier", cookiePartitionIdentifier as Any),
      ], displayStyle: .struct)
  }
}
