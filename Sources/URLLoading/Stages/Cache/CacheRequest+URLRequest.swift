internal import URLLoadingHTTPSemantics

extension CacheRequest {
  /// A request in canonical form; nil for one without a URL.
  init?(_ request: borrowing URLRequest) {
    guard let url = request.url else { return nil }
    self.init(request, url: url)
  }

  /// A request in canonical form, with what the engine adds that responses may vary by.
  init(_ request: borrowing URLRequest, url: URL) {
    var fields = request.fields
    if request.urlFacts.speaksHTTP {
      if let languages = AcceptLanguage.ofProcess, !fields.contains("Accept-Language") {
        fields["Accept-Language"] = languages
      }
      if !fields.contains("User-Agent") { fields["User-Agent"] = UserAgent.ofProcess }
    }
    self.init(method: request.httpMethod ?? "GET", url: url, fields: fields, policy: request.cachePolicy)
  }

  /// The request with an `Authorization` that it does not show, since a credential of the session is sent.
  func authorized(_ isAuthorized: Bool) -> CacheRequest {
    guard isAuthorized, !fields.contains("Authorization") else { return self }
    var request = self
    request.fields["Authorization"] = "*"
    return request
  }
}

extension URLRequest {
  /// Adds a field, unless the program has set it.
  /// - Returns: whether it was added.
  @discardableResult
  mutating func addIfAbsent(_ field: (name: String, value: String)) -> Bool {
    guard value(forHTTPHeaderField: field.name) == nil else { return false }
    setValue(field.value, forHTTPHeaderField: field.name)
    return true
  }
}
