import URLLoading

/// A version of a file: its size and modification time, all that version 3 has.
struct FileVersion: Hashable, Sendable {
  let size: UInt64?
  let modificationTime: UInt32?

  init(_ attributes: FileAttributes) {
    size = attributes.size
    modificationTime = attributes.modificationTime
  }

  /// What FSTAT says of a file that has bytes. Servers that do not know the attributes of an open file say 0.
  init(ofOpenFile attributes: FileAttributes) {
    var known = attributes.size == 0 ? FileAttributes() : attributes
    if known.modificationTime == 0 { known.modificationTime = nil }
    self.init(known)
  }

  var validators: ResourceValidators {
    guard let size, let modificationTime else { return ResourceValidators() }
    return ResourceValidators(
      entityTag: "\"\(String(size, radix: 16))-\(String(modificationTime, radix: 16))\"",
      lastModified: Date(timeIntervalSince1970: TimeInterval(modificationTime)))
  }

  /// How the file changed up to `later`; nil where it did not.
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
