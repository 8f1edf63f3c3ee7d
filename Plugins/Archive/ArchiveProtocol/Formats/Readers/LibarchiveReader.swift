internal import URLLoadingBase

/// Reads 7z, ISO 9660, and the optional formats, by libarchive.
///
/// Members that are packed together are decoded by a ``SolidPass``. For others a walk skips to them; after a whole member it is kept
/// for later members.
///
/// Mutable state: `state`, guarded by its own lock.
// Safe to share: a walk is either in `state` or used by one body.
final class LibarchiveReader: ArchiveReader, @unchecked Sendable {
  private struct State {
    var groups: MemberGroups?
    /// The archive's beginning that was checked before libarchive read it; empty where nothing is checked.
    var checkedHead: [UInt8]?
    var idle: [MemberWalk] = []
    var passes: [SolidPass] = []
  }

  private static let maximumIdle = 2
  /// Each has a decoder with its dictionary.
  private static let maximumPasses = 4

  private let format: ArchiveFormat
  private let source: any ByteSource
  private let head: [UInt8]
  private let configuration: ArchiveConfiguration
  private let budget: SpoolBudget
  // A walk comes back from the body that used it, which has ended: it is not referred to from elsewhere.
  private let state = UncheckedLocked(State())

  /// - Parameter head: the archive's first bytes.
  init(_ format: ArchiveFormat, source: any ByteSource, head: [UInt8], configuration: ArchiveConfiguration) {
    self.format = format
    self.source = source
    self.head = Array(head.prefix(64))
    self.configuration = configuration
    budget = SpoolBudget(limit: configuration.maximumSpooledBytes)
  }

  var formatName: String { format.rawValue }

  func readEntries() throws -> [ArchiveEntry] {
    try SourceFailure.unwrapping {
      // First: at the first header libarchive reads all of a 7z archive's directory, whatever its size.
      _ = try groups(reading: source)
      let walk = try MemberWalk(format, source: source, head: try checkedHead(reading: source), blocks: .directory)
      var collector = EntryCollector(limits: configuration)
      while let header = try walk.next() {
        let ordinal = try collector.nextOrdinal()
        let isRar = format == .rar || format == .rar5
        try collector.add(
          header, ordinal: ordinal, location: .ordinal(ordinal, headerPosition: nil),
          checksum: isRar ? try RarChecksum.find(format, in: source, at: walk.handle.headerPosition) : nil)
      }
      return collector.finished()
    }
  }

  func open(
    _ entry: ArchiveEntry, from offset: Int64, source: any ByteSource, password: [UInt8]?
  ) throws -> any MemberBody {
    guard case .ordinal(let ordinal, _) = entry.location else {
      throw ArchiveError.unsupported("this member has no bytes of its own")
    }
    if entry.isEncrypted { throw ArchiveError.unsupported("encrypted members of \(format.rawValue) archives") }
    try configuration.check(memberSize: entry.size)
    return try SourceFailure.unwrapping {
      if let group = try groups(reading: source).group(of: ordinal) {
        return SolidBody(
          pass: try pass(of: group), ordinal: ordinal, checksum: entry.checksum, offset: offset, source: source)
      }
      return try openAlone(entry, ordinal, from: offset, source: source)
    }
  }

  private func openAlone(
    _ entry: ArchiveEntry, _ ordinal: Int, from offset: Int64, source: any ByteSource
  ) throws -> any MemberBody {
    let walk =
      try takeIdle(before: ordinal)
      ?? MemberWalk(format, source: source, head: try checkedHead(reading: source), blocks: .bodies)
    walk.origin.source = source
    let header = try walk.advance(to: ordinal)
    // Except for a hard link, which has another name than the member with its bytes.
    if entry.kind == .file, let name = header.name, ArchivePath.canonical(Array(name)) != entry.path {
      throw ArchiveError.damaged("member \(ordinal) has another name than it had")
    }
    return BlockBody(
      walk.handle, size: header.size, checksum: entry.checksum, offset: offset, limits: configuration,
      whenWhole: { [weak self] in
        walk.origin.source = nil
        self?.keep(walk)
      })
  }

  private func takeIdle(before ordinal: Int) -> MemberWalk? {
    state.withLock { state in
      let candidates = state.idle.indices.filter { index in
        let next = state.idle[index].nextOrdinal
        // libarchive 3.6's 7z reader, once it has decoded something, decodes all that it skips.
        return format == .sevenZip ? next == ordinal : next <= ordinal
      }
      return candidates.max { state.idle[$0].nextOrdinal < state.idle[$1].nextOrdinal }.map {
        state.idle.remove(at: $0)
      }
    }
  }

  private func keep(_ walk: MemberWalk) {
    // libarchive 3.6 does not find the next header of a WARC after a member that it has read.
    guard format != .warc else { return }
    state.withLock { state in
      state.idle.append(walk)
      if state.idle.count > Self.maximumIdle { state.idle.removeFirst() }
    }
  }

  private func groups(reading source: any ByteSource) throws -> MemberGroups {
    if let groups = state.withLock({ $0.groups }) { return groups }
    let groups = try MemberGroups(format, source: source, head: head, limits: configuration)
    state.withLock { $0.groups = groups }
    return groups
  }

  private func checkedHead(reading source: any ByteSource) throws -> [UInt8] {
    if let head = state.withLock({ $0.checkedHead }) { return head }
    let head = format == .xar ? try XarTableOfContents(source: source, limits: configuration).head : []
    state.withLock { $0.checkedHead = head }
    return head
  }

  /// The pass through a group. The least recently used passes are dropped.
  private func pass(of group: MemberGroups.Group) throws -> SolidPass {
    try state.withLock { state in
      let pass: SolidPass
      if let index = state.passes.firstIndex(where: { $0.group == group }) {
        pass = state.passes.remove(at: index)
      } else {
        pass = try SolidPass(format, group: group, configuration: configuration, budget: budget)
      }
      state.passes.append(pass)
      if state.passes.count > Self.maximumPasses { state.passes.removeFirst() }
      return pass
    }
  }
}
