import URLLoading

/// Known bytes behind a URL.
struct Resource: Sendable {
  let url: URL
  let bytes: Data

  var count: Int { bytes.count }

  /// A request for it.
  func request(_ fields: [String: String] = [:], method: String = "GET") -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}
