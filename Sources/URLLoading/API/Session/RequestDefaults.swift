/// A session's defaults for properties that a request does not set.
struct RequestDefaults: Sendable {
  private let cachePolicy: NSURLRequest.CachePolicy
  private let requiresDNSSECValidation: Bool

  /// Nil for a configuration that leaves requests as they are, as most do.
  init?(_ values: URLSessionConfiguration.Values) {
    cachePolicy = values.requestCachePolicy
    requiresDNSSECValidation = values.requiresDNSSECValidation
    if cachePolicy == .useProtocolCachePolicy, !requiresDNSSECValidation { return nil }
  }

  /// Sets what the request leaves open.
  func apply(to request: inout URLRequest) {
    if request.cachePolicy == .useProtocolCachePolicy { request.cachePolicy = cachePolicy }
    if requiresDNSSECValidation { request.requiresDNSSECValidation = true }
  }
}
