extension URLRequest {
  /// In place of a request that is missing: no protocol class loads it.
  static let placeholder = URLRequest(url: URL(fileURLWithPath: "/dev/null/"))
}
