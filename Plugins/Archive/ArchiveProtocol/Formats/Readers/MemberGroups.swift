/// Which members of an archive can be decoded only one after another.
struct MemberGroups: Sendable {
  /// Members by their ordinals, the last one included.
  struct Group: Sendable, Hashable {
    let first: Int
    let last: Int
  }

  private static let all = Group(first: 0, last: .max)

  /// By ordinal; nil for a member that can be read alone.
  private var known: [Group?] = []
  /// That of all other members; nil where a reader can skip to each.
  private var others: Group?

  /// - Parameter head: the first bytes of the archive.
  init(_ format: ArchiveFormat, source: any ByteSource, head: [UInt8], limits: ArchiveConfiguration) throws {
    switch format {
    case .sevenZip:
      known = Self.groups(try SevenZipLayout.read(from: source, limits: limits).folders)
      others = Self.all
    case .cab: others = Self.all
    case .rar5: others = Rar5Header.isSolid(head) ? Self.all : nil
    case .zip, .tar, .cpio, .ar, .iso9660, .lha, .rar, .xar, .warc: break
    }
  }

  /// The group of a member; nil for a member that can be read alone.
  func group(of ordinal: Int) -> Group? {
    known.indices.contains(ordinal) ? known[ordinal] : others
  }

  private static func groups(_ folders: [Int?]) -> [Group?] {
    var ends: [Int: Group] = [:]
    for (ordinal, folder) in folders.enumerated() {
      guard let folder else { continue }
      ends[folder] = Group(first: ends[folder]?.first ?? ordinal, last: ordinal)
    }
    return folders.map { folder in folder.flatMap { ends[$0] }.flatMap { $0.first == $0.last ? nil : $0 } }
  }
}
