import URLLoading

/// Asks by `HEAD` for what a server tells of a file that is loaded alone, such as nginx its entity tag.
struct HeadQuestion {
  let exchange: Exchange

  func answer() async throws -> HTTPURLResponse {
    var asking = exchange.request()
    asking.httpMethod = "HEAD"
    for name in ["If-Match", "If-None-Match", "Content-Length", "Content-Type"] {
      asking.setValue(nil, forHTTPHeaderField: name)
    }
    asking.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    return try await exchange.open(asking).1
  }
}
