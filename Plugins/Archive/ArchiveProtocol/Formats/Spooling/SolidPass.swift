internal import URLLoadingBase

/// One pass through members that can be decoded only one after another. Decoded bytes go to a temporary file, so that each member
/// is decoded once, in whatever order they are read.
///
/// Mutable state: `members`, guarded by its own lock; `walk`, `current`, `discarding` and `end`, touched only inside a step of
/// `progress`, of which there is one at a time, in order.
// Safe to share: see above.
final class SolidPass: @unchecked Sendable {
  /// A member in the temporary file.
  private struct Member {
    let start: Int64
    var count: Int64 = 0
    var isComplete = false
    var checksum = RunningChecksum()
  }

  private struct Current {
    let ordinal: Int
    let size: Int64?
    let path: [UInt8]
  }

  /// Bytes that are fetched before a step, so that a cancelled wait for the source does not cost the decoder.
  private static let window = 512 << 10

  let group: MemberGroups.Group
  private let format: ArchiveFormat
  private let limits: ArchiveConfiguration
  private let budget: SpoolBudget
  private let file: SpoolFile
  private let progress = SharedProgress()
  private let members = Locked<[Int: Member]>([:])
  private var walk: MemberWalk?
  private var current: Current?
  /// How many known bytes of the current member a restarted walk gives first.
  private var discarding: Int64 = 0
  /// The end of the temporary file.
  private var end: Int64 = 0

  init(_ format: ArchiveFormat, group: MemberGroups.Group, configuration: ArchiveConfiguration, budget: SpoolBudget)
    throws
  {
    self.format = format
    self.group = group
    self.budget = budget
    limits = configuration
    file = try SpoolFile(directory: configuration.temporaryDirectory.path)
  }

  deinit {
    budget.giveBack(end)
  }

  /// Reads some bytes of a member.
  /// - Parameters:
  ///   - source: the archive's bytes, for this reader.
  ///   - checksum: of all its bytes, where libarchive 3.6 does not check it.
  /// - Returns: how many; 0 at its end.
  func read(
    _ ordinal: Int, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, source: any ByteSource,
    checksum: UInt32?
  ) throws -> Int {
    guard !buffer.isEmpty else { return 0 }
    try progress.advance(
      for: source,
      until: { members.withLock { $0[ordinal].map { $0.isComplete || $0.count > offset } ?? false } },
      step: { try step(reading: source) })
    guard let member = members.withLock({ $0[ordinal] }) else {
      throw ArchiveError.damaged("the archive has no member \(ordinal)")
    }
    let available = min(max(member.count - offset, 0), Int64(buffer.count))
    guard available > 0 else {
      try member.checksum.check(checksum)
      return 0
    }
    return try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(available)]), at: member.start + offset)
  }

  /// Enters the next member, or decodes some of the current one.
  private func step(reading source: any ByteSource) throws -> Bool {
    let walk = try walk ?? begin(reading: source)
    walk.origin.source = source
    defer {
      walk.origin.source = nil
      if walk.handle.isBroken { self.walk = nil }
    }
    guard let current else { return try enterNext(walk) }
    do {
      try walk.handle.feed.fetchAhead(Self.window)
      if let block = try walk.handle.nextBlock() {
        try append(block, of: current)
      } else {
        try complete(current)
        self.current = nil
      }
      return true
    } catch ArchiveError.damaged(let reason) {
      throw ArchiveError.damaged("at member \(EntryCollector.text(current.path)): \(reason)")
    }
  }

  /// The first walk, or a new one where a failed source has broken the last.
  private func begin(reading source: any ByteSource) throws -> MemberWalk {
    let walk = try MemberWalk(format, source: source, blocks: .bodies)
    while walk.nextOrdinal < group.first { _ = try walk.advance(to: walk.nextOrdinal) }
    if let current {
      _ = try walk.advance(to: current.ordinal)
      discarding = members.withLock { $0[current.ordinal]?.count ?? 0 }
    } else {
      let known = members.withLock { $0.keys.max() }
      if let known { _ = try walk.advance(to: known) }
    }
    self.walk = walk
    return walk
  }

  private func enterNext(_ walk: MemberWalk) throws -> Bool {
    guard walk.nextOrdinal <= group.last, let header = try walk.next() else {
      self.walk = nil
      return false
    }
    let ordinal = walk.nextOrdinal - 1
    members.withLock { $0[ordinal] = Member(start: end) }
    discarding = 0
    current = Current(ordinal: ordinal, size: header.size, path: ArchivePath.canonical(Array(header.name ?? [])))
    return true
  }

  private func append(_ block: LibarchiveHandle.Block, of current: Current) throws {
    let known = Int(min(discarding, Int64(block.bytes.count)))
    discarding -= Int64(known)
    let fresh = UnsafeRawBufferPointer(rebasing: block.bytes[known...])
    guard !fresh.isEmpty, let count = members.withLock({ $0[current.ordinal]?.count }) else { return }
    guard block.offset == count - Int64(known), count + Int64(fresh.count) <= current.size ?? .max else {
      throw ArchiveError.damaged("the member has other bytes than its header says")
    }
    try limits.checkRatio(decoded: end + Int64(fresh.count), packed: walk?.handle.feed.fetchedCount ?? 0)
    try budget.take(fresh.count)
    try file.write(fresh, at: end)
    end += Int64(fresh.count)
    members.withLock { members in
      members[current.ordinal]?.count += Int64(fresh.count)
      members[current.ordinal]?.checksum.add(fresh)
    }
  }

  private func complete(_ current: Current) throws {
    let count = members.withLock { $0[current.ordinal]?.count ?? 0 }
    guard discarding == 0, count == current.size ?? count else {
      throw ArchiveError.damaged("it has \(count) bytes, but its header says \(current.size ?? count)")
    }
    members.withLock { $0[current.ordinal]?.isComplete = true }
  }
}
