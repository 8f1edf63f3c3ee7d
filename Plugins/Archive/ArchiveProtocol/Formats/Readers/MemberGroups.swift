/// Which members of an archive can be decoded only one after another.
enum MemberGroups: Sendable {
  /// Members by their ordinals, the last one included.
  struct Group: Sendable, Hashable {
    let first: Int
    let last: Int
  }

  /// None: a reader can skip to each member.
  case separate
  /// All.
  case together
  /// Those of one folder; a list by ordinal, nil for a member without bytes.
  case folders([Group?])

  /// - Parameter head: the first bytes of the archive.
  init(_ format: ArchiveFormat, source: any ByteSource, head: [UInt8], limits: ArchiveConfiguration) throws {
    switch format {
    case .sevenZip:
      guard let layout = try SevenZipLayout.read(from: source, limit: limits.maximumIndexBytes) else {
        self = .together
        return
      }
      self = .folders(Self.groups(layout.folders))
    case .cab: self = .together
    case .rar5: self = Rar5Header.isSolid(head) ? .together : .separate
    case .zip, .tar, .cpio, .ar, .iso9660, .lha, .rar, .xar, .warc: self = .separate
    }
  }

  /// The group of a member; nil for a member that can be read alone.
  func group(of ordinal: Int) -> Group? {
    switch self {
    case .separate: return nil
    case .together: return Group(first: 0, last: .max)
    case .folders(let groups):
      guard groups.indices.contains(ordinal) else { return Group(first: 0, last: .max) }
      return groups[ordinal].flatMap { $0.first == $0.last ? nil : $0 }
    }
  }

  private static func groups(_ folders: [Int?]) -> [Group?] {
    var ends: [Int: Group] = [:]
    for (ordinal, folder) in folders.enumerated() {
      guard let folder else { continue }
      ends[folder] = Group(first: ends[folder]?.first ?? ordinal, last: ordinal)
    }
    return folders.map { folder in folder.flatMap { ends[$0] } }
  }
}
