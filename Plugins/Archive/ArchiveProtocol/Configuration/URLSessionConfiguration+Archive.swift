import URLLoading

extension ArchiveConfiguration: URLProtocolSettings {}

extension URLSessionConfiguration {
  /// The settings for archive members in the session: formats, limits, directories.
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
