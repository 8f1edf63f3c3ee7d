import URLLoading

extension URLSessionConfiguration {
  /// The settings for WebDAV servers in the session: limits.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.default
  /// configuration.webDAV.maximumEntries = 10_000
  /// ```
  public var webDAV: WebDAVConfiguration {
    get { self[WebDAVConfiguration.self] }
    set { self[WebDAVConfiguration.self] = newValue }
  }
}
