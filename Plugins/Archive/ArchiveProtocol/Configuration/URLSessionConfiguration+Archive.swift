import URLLoading

extension ArchiveConfiguration: URLProtocolSettings {}

extension URLSessionConfiguration {
  /// What the session's loads of archive members go by: formats, limits, where indexes are kept.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.default
  /// configuration.archive.optionalFormats = [.rar5]
  /// ```
  public var archive: ArchiveConfiguration {
    get { self[ArchiveConfiguration.self] }
    set { self[ArchiveConfiguration.self] = newValue }
  }
}
