import URLLoading

/// Which redirects are followed. A refused one is the answer.
enum Redirection {
  /// What changes something is done at the place that was named, and by the same method; what loads goes where it is led, but never from TLS
  /// to a connection without.
  static func follows(from request: URLRequest?, to next: URLRequest) -> Bool {
    guard let request, let from = request.url, let to = next.url, request.httpMethod == next.httpMethod else {
      return false
    }
    guard from.scheme?.lowercased() != "https" || to.scheme?.lowercased() == "https" else { return false }
    switch request.httpMethod {
    case nil, "GET", "HEAD": return true
    default: return ServerPlace(of: from) == ServerPlace(of: to)
    }
  }
}
