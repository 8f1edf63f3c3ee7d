/// Collects an archive's members in their order, duplicates and all, within the limits.
struct EntryCollector {
  private(set) var entries: [ArchiveEntry] = []
  private let limits: FormatLimits
  private var indexBytes: Int64 = 0
  /// The last file of each name, for hard links.
  private var files: [[UInt8]: Int] = [:]
  /// Hard links, and the file that each is another name of.
  private var links: [(link: Int, file: Int)] = []
  private var headerCount = 0

  init(limits: FormatLimits) {
    self.limits = limits
  }

  /// Counts a header; its ordinal.
  mutating func nextOrdinal() throws -> Int {
    guard headerCount < limits.maximumMemberCount else {
      throw ArchiveError.limitExceeded(
        what: "members", limit: Int64(limits.maximumMemberCount), property: "maximumMemberCount")
    }
    headerCount += 1
    return headerCount - 1
  }

  /// Adds what libarchive tells about a member. The top directory itself is left out.
  /// - Parameters:
  ///   - location: where its bytes are, if it has any.
  ///   - checksum: what is to be checked when they are read, and libarchive does not check.
  mutating func add(
    _ header: LibarchiveEntry, ordinal: Int, location: ArchiveEntry.Location, checksum: UInt32? = nil
  ) throws {
    let kind = header.kind
    let name = header.name ?? Array("unnamed-\(ordinal)".utf8)
    let path = ArchivePath.canonical(Array(name))
    try count(path, kind)
    guard !path.isEmpty else { return }
    let size = header.size
    if let size, size < 0 { throw ArchiveError.damaged("\(Self.text(path)) has a negative size") }
    var entry = ArchiveEntry(
      path: path, kind: kind, size: nil, modificationDate: header.modificationDate, checksum: nil,
      isEncrypted: header.isEncrypted, location: .none)
    switch kind {
    case .file:
      entry.size = size
      entry.location = location
      entry.checksum = checksum
      files[path] = entries.count
    case .hardLink(let target):
      if let file = files[target] {
        links.append((entries.count, file))
        // cpio's newer formats give the bytes with the last name only.
        if let size, size > 0, (entries[file].size ?? 0) == 0 {
          entries[file].size = size
          entries[file].location = location
        }
      }
    case .directory, .symbolicLink, .other: break
    }
    entries.append(entry)
  }

  /// Changes where the member that was added last has its bytes.
  mutating func relocateLast(_ location: ArchiveEntry.Location) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1].location = location
  }

  /// All members. A hard link has the size and the place of what it is another name of, as far as that came before.
  func finished() -> [ArchiveEntry] {
    var entries = entries
    for (link, file) in links {
      entries[link].size = entries[file].size
      entries[link].location = entries[file].location
      entries[link].checksum = entries[file].checksum
    }
    return entries
  }

  /// A member's name for messages.
  static func text(_ path: [UInt8]) -> String {
    "'\(String(decoding: path, as: UTF8.self))'"
  }

  private mutating func count(_ path: [UInt8], _ kind: ArchiveEntry.Kind) throws {
    let targetLength =
      switch kind {
      case .symbolicLink(let target), .hardLink(let target): target.count
      case .file, .directory, .other: 0
      }
    indexBytes += Int64(path.count + targetLength + 96)
    guard indexBytes <= limits.maximumIndexBytes else {
      throw ArchiveError.limitExceeded(
        what: "bytes of the archive's directory", limit: limits.maximumIndexBytes, property: "maximumIndexBytes")
    }
  }
}
