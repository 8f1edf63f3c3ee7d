import URLLoading

/// The `Referer` field of requests that a redirect leads to, as `-e ";auto"` wants it.
enum Referrer {
  /// A request that names the URL of a redirect, without its user and fragment; nothing is told of a secure page where the way is not
  /// (RFC 9110, section 10.1.3).
  static func named(in request: URLRequest, by response: HTTPURLResponse) -> URLRequest {
    var request = request
    let isDowngrade = response.url?.scheme?.lowercased() == "https" && request.url?.scheme?.lowercased() != "https"
    var components = response.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
    components?.user = nil
    components?.password = nil
    components?.fragment = nil
    request.setValue(isDowngrade ? nil : components?.string, forHTTPHeaderField: "Referer")
    return request
  }
}
