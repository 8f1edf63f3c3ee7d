import URLLoading

/// Where something is moved or copied to (RFC 4918, section 10.3): a URL of the same server.
struct Destination {
  let url: URL
  let path: ResourcePath

  init(of request: URLRequest, from source: URL) throws(URLError) {
    let method = request.httpMethod ?? ""
    guard let text = request.value(forHTTPHeaderField: "Destination"), let url = URL(string: text),
      let path = ResourcePath(of: url), url.scheme?.lowercased() == source.scheme?.lowercased()
    else {
      throw URLError(
        .badURL,
        message:
          "\(method) needs a WebDAV URL of the same server in the field Destination (RFC 4918, section 10.3).",
        url: source
      )
    }
    let users = (source.user(percentEncoded: false), url.user(percentEncoded: false))
    guard ServerPlace(of: url) == ServerPlace(of: source), users.1 == nil || users.0 == users.1 else {
      throw URLError(
        .unsupportedURL,
        message: "\(method) takes a URL of the same server as its Destination, not \(url.redactedDescription).",
        url: source
      )
    }
    try ServerChange.refuseQuery(of: url)
    self.url = url
    self.path = path
  }

  /// The field's value: the URL for `http`, without a login.
  /// - Parameter isDirectory: whether it is to end in a slash.
  func field(isDirectory: Bool) -> String? {
    let url = isDirectory ? ServerChange.directory(url) : url
    guard var parts = URLComponents(url: Exchange.web(url), resolvingAgainstBaseURL: true) else { return nil }
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    return parts.string
  }
}
