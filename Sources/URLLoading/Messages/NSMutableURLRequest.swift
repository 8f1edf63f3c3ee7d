import Foundation

/// A request object that can change. `as URLRequest` takes a copy of what it is at that moment, what
/// protocol classes attached included.
open class NSMutableURLRequest: NSURLRequest {
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
}
