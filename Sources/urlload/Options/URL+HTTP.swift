import URLLoading

extension URL {
  /// Whether the scheme is `http` or `https`, or that of HTTP to a Unix socket.
  var speaksHTTP: Bool {
    ["http", "https", "http+unix", "https+unix"].contains(scheme?.lowercased() ?? "")
  }
}
