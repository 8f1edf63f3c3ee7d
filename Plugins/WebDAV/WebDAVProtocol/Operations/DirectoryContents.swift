import URLLoading

/// Makes a directory's entries of what a server says of resources. A value without I/O.
///
/// What is not below the directory is left out, and so is the directory itself, which has to be there.
struct DirectoryContents {
  private let directory: URL
  private let base: ResourcePath
  private let isDeep: Bool
  private let limit: Int
  private var count = 0
  private var hasDirectory = false

  /// - Parameters:
  ///   - directory: whose entries these are.
  ///   - base: where the server has it.
  ///   - isDeep: whether what is further below counts as well.
  ///   - limit: the number of entries at which the listing fails.
  init(of directory: URL, at base: ResourcePath, isDeep: Bool, limit: Int) {
    (self.directory, self.base, self.isDeep, self.limit) = (directory, base, isDeep, limit)
  }

  mutating func entries(
    of resources: [MultistatusResource], _ failures: WebDAVFailures
  ) throws(URLError) -> [URLDirectoryEntry] {
    var entries: [URLDirectoryEntry] = []
    for resource in resources {
      guard let path = ResourcePath(reference: resource.reference, in: base), let names = path.names(below: base) else {
        continue
      }
      guard let name = names.last else {
        try take(resource, failures)
        continue
      }
      guard names.count == 1 || isDeep, let entry = entry(name, in: names.dropLast(), path, resource) else { continue }
      count += 1
      guard count <= limit else {
        throw failures.error(
          .dataLengthExceedsMaximum,
          "The entries of a listing are limited to \(limit): URLSessionConfiguration.webDAV.maximumEntries raises that."
        )
      }
      entries.append(entry)
    }
    return entries
  }

  /// There are no more resources.
  func finish(_ failures: WebDAVFailures) throws {
    guard hasDirectory else {
      throw failures.unreadable(.otherDocument("it does not have the directory that it is about"))
    }
  }

  /// The directory itself.
  private mutating func take(_ resource: MultistatusResource, _ failures: WebDAVFailures) throws(URLError) {
    let status = resource.status ?? 200
    guard (200..<300).contains(status) else { throw failures.refused(status) }
    guard resource.properties.isDirectory != false else { throw URLError.notDirectory(failures.url) }
    hasDirectory = true
  }

  /// - Returns: nil where there is nothing, or the name is none.
  private func entry(
    _ name: [UInt8], in parents: ArraySlice<[UInt8]>, _ path: ResourcePath, _ resource: MultistatusResource
  ) -> URLDirectoryEntry? {
    var parent = directory
    for name in parents {
      guard let entry = URLDirectoryEntry(nameBytes: name, in: parent, kind: .directory) else { return nil }
      parent = entry.url
    }
    switch resource.status ?? 200 {
    case 200..<300:
      let properties = resource.properties
      let isDirectory = properties.isDirectory ?? (path.endsInSlash ? true : nil)
      let kind: URLDirectoryEntry.Kind = isDirectory.map { $0 ? .directory : .file } ?? .unknown
      return URLDirectoryEntry(
        nameBytes: name, in: parent, kind: kind, size: kind == .directory ? nil : properties.size,
        modificationDate: properties.modificationDate)
    case 404, 410: return nil
    // It is there, and no more is told.
    default: return URLDirectoryEntry(nameBytes: name, in: parent, kind: .unknown)
    }
  }
}
