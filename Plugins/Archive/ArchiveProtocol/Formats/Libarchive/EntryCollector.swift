/// Collects an archive's members in their order, with duplicates, within the limits.
struct EntryCollector {
  private(set) var entries: [ArchiveEntry] = []
  private let limits: ArchiveConfiguration
  private var indexBytes: Int64 = 0
  /// The last member of each name; for a hard link, the member that it is another name of.
  private var holders: [[UInt8]: Int] = [:]
  /// Hard links, and the member that each is another name of.
  private var links: [(link: Int, holder: Int)] = []
  private var headerCount = 0

  init(limits: ArchiveConfiguration) {
    self.limits = limits
  }

  /// Counts a header.
  /// - Returns: its ordinal.
  mutating func nextOrdinal() throws -> Int {
    headerCount += 1
    try limits.check(members: UInt64(headerCount))
    return headerCount - 1
  }

  /// Adds a member; the top directory itself is left out.
  /// - Parameters:
  ///   - location: of its bytes, if it has any.
  ///   - checksum: what libarchive 3.6 does not check when they are read.
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
    case .hardLink(let target):
      guard let holder = holders[target] else {
        // Its target may come later. Extraction tools make no link then, and leave a member of its name as it is.
        if holders[path] == nil, target != path { entries.append(entry) }
        return
      }
      // cpio's newer formats have the bytes at the last name only.
      if entries[holder].kind == .file, let size, size > 0, (entries[holder].size ?? 0) == 0 {
        entries[holder].size = size
        entries[holder].location = location
      }
      // A file that is archived twice becomes a link to itself, which extraction tools ignore.
      guard holders[path] != holder else { return }
      links.append((entries.count, holder))
      holders[path] = holder
      entries.append(entry)
      return
    case .directory, .symbolicLink, .other: break
    }
    holders[path] = entries.count
    entries.append(entry)
  }

  mutating func relocateLast(_ location: ArchiveEntry.Location) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1].location = location
  }

  /// All members. A hard link has the size and location of the file that had its target's name when the link was made.
  func finished() -> [ArchiveEntry] {
    var entries = entries
    for (link, holder) in links {
      entries[link].size = entries[holder].size
      entries[link].location = entries[holder].location
      entries[link].checksum = entries[holder].checksum
      entries[link].isEncrypted = entries[holder].isEncrypted
    }
    return entries
  }

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
    try limits.check(indexBytes: indexBytes)
  }
}
