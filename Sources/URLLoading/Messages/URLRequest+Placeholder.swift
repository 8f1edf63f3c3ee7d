extension URLRequest {
  /// Stands where a request is needed and none is at hand: no protocol class loads it.
  static let placeholder = URLRequest(url: URL(fileURLWithPath: "/dev/null/"))
}
