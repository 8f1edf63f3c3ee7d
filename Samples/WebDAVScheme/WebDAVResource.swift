import URLLoading

/// What a `multistatus` document says of one resource.
struct WebDAVResource {
  /// Percent-encoded.
  var path = ""
  var isDirectory = false
  var size: Int64?
  var modificationDate: Date?

  /// The entry of a directory; nil for a path whose last part is no name.
  func entry(in directory: URL) -> URLDirectoryEntry? {
    guard let name = path.split(separator: "/").last.flatMap({ String($0).removingPercentEncoding }) else { return nil }
    return URLDirectoryEntry(
      name: name, in: directory, kind: isDirectory ? .directory : .file, size: isDirectory ? nil : size,
      modificationDate: modificationDate)
  }
}
