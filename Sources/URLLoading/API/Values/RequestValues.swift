import Foundation
internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The values of a request: the storage that `URLRequest` and `NSURLRequest` share.
struct RequestValues {
  enum Body {
    case none
    case data(Data)
    case stream(InputStream)
    /// Data that can be read as a stream, too: what protocol instances get.
    case streamable(StreamableBody)

    var data: Data? {
      switch self {
      case .data(let data): data
      case .streamable(let body): body.data
      case .none, .stream: nil
      }
    }

    var stream: InputStream? {
      switch self {
      case .stream(let stream): stream
      case .streamable(let body): body.stream
      case .none, .data: nil
      }
    }
  }

  /// Absolute: a URL that is relative to another is resolved.
  var url: URL? {
    didSet {
      url = url?.resolved
      urlFacts = URLFacts(url)
    }
  }
  /// Properties of the URL that every load needs.
  private(set) var urlFacts: URLFacts
  /// Absolute, too.
  var mainDocumentURL: URL? { didSet { mainDocumentURL = mainDocumentURL?.resolved } }
  var cachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
  var networkServiceType = NSURLRequest.NetworkServiceType.default
  /// What the caller set; nil is the default, which a session's configuration may replace.
  var explicitTimeoutInterval: TimeInterval?
  /// What the caller set; nil is the default, which is another one where a task uploads to a class that stores by `PUT`.
  private(set) var explicitMethod: String?
  var fields = HTTPFields()
  var body = Body.none
  var handlesCookies = true
  /// What `URLProtocol.setProperty(_:forKey:in:)` attached.
  var protocolProperties: [String: Any] = [:]
  /// Nil where all have their defaults.
  @Boxed private var setOptions: RequestOptions?

  static let defaultTimeoutInterval: TimeInterval = 60

  /// What few requests set.
  var options: RequestOptions {
    get { setOptions ?? .byDefault }
    set { setOptions = newValue == .byDefault ? nil : newValue }
  }

  init(
    url: URL? = nil, cachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy,
    explicitTimeoutInterval: TimeInterval? = nil
  ) {
    let url = url?.resolved
    urlFacts = URLFacts(url)
    self.url = consume url
    self.cachePolicy = cachePolicy
    self.explicitTimeoutInterval = explicitTimeoutInterval
  }

  /// Methods whose spelling is put right, as Fetch's "normalize a method" does. All others are
  /// case-sensitive (RFC 9110 9.1) and stay as they are.
  private static let knownMethods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]

  mutating func setMethod(_ method: String?) {
    guard let method, !method.isEmpty else {
      explicitMethod = nil
      return
    }
    let upper = method.uppercased()
    explicitMethod = Self.knownMethods.contains(upper) ? upper : method
  }

  var method: String { explicitMethod ?? Self.defaultMethod }

  private static let defaultMethod = "GET"
}

extension RequestValues: Hashable {
  /// Properties that protocol classes attached do not count.
  static func == (left: RequestValues, right: RequestValues) -> Bool {
    left.url == right.url && left.method == right.method && left.mainDocumentURL == right.mainDocumentURL
      && left.cachePolicy == right.cachePolicy && left.networkServiceType == right.networkServiceType
      && (left.explicitTimeoutInterval ?? defaultTimeoutInterval)
        == (right.explicitTimeoutInterval ?? defaultTimeoutInterval)
      && left.handlesCookies == right.handlesCookies && left.body == right.body && left.fields == right.fields
      && left.setOptions == right.setOptions
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(method)
    hasher.combine(mainDocumentURL)
    hasher.combine(cachePolicy)
  }
}

extension RequestValues.Body: Equatable {
  static func == (left: RequestValues.Body, right: RequestValues.Body) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.stream(let left), .stream(let right)): left === right
    // Data is the same with and without a stream over it.
    default: left.data != nil && left.data == right.data
    }
  }
}
