import URLLoading

/// What tells one version of a file from another: size and modification time, which is all that servers of version 3 tell.
struct FileVersion: Hashable, Sendable {
  let size: UInt64?
  let modificationTime: UInt32?

  init(_ attributes: FileAttributes) {
    size = attributes.size
    modificationTime = attributes.modificationTime
  }

  var validators: ResourceValidators {
    guard let size, let modificationTime else { return ResourceValidators() }
    return ResourceValidators(
      entityTag: "\"\(String(size, radix: 16))-\(String(modificationTime, radix: 16))\"",
      lastModified: Date(timeIntervalSince1970: TimeInterval(modificationTime)))
  }

  /// How `later` shows that the file is another one; nil where it does not.
  func change(to later: FileVersion) -> String? {
    if let size, let other = later.size, size != other {
      return other < size ? "it shrank while it was read" : "it grew while it was read"
    }
    if let modificationTime, let other = later.modificationTime, modificationTime != other {
      return "it was changed while it was read"
    }
    return nil
  }
}
