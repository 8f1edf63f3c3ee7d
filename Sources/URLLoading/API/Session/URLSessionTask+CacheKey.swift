extension URLSessionTask {
  /// The key of the task's current request, in the canonical form of the class that would load it; nil for a task without one.
  var cacheKey: CacheKey? {
    guard let request = currentRequest else { return nil }
    let configured = load.session.values.protocolClasses
    let loader = ProtocolRegistry.shared.protocolClass(for: self, loading: request, configured: configured)
    return CacheKey(canonical: loader?.canonicalRequest(for: request) ?? request)
  }
}
