import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Members of archives that are made byte by byte: what is read of them, and how they lie.
struct ZipMemberTests {
  private static func read(
    _ bytes: [UInt8], from offset: Int64 = 0, limits: ArchiveConfiguration = ArchiveConfiguration(),
    password: String? = nil
  ) throws -> [UInt8] {
    let source = MemoryByteSource(bytes)
    let reader = ZipReader(source: source, limits: limits)
    guard let entry = try reader.readEntries().first else { return [] }
    return try reader.bytes(of: entry, from: offset, source: source, password: password)
  }

  private static func failure(
    limits: ArchiveConfiguration = ArchiveConfiguration(), password: String? = nil,
    _ change: (inout ZipSample.Member) -> Void
  ) -> ArchiveError? {
    var member = ZipSample.Member("a")
    change(&member)
    do {
      _ = try read(ZipSample([member]).bytes(), limits: limits, password: password)
      return nil
    } catch {
      return error as? ArchiveError
    }
  }

  @Test func readsRangesOfStoredMembersOnly() throws {
    let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var large = ZipSample.Member("large")
    large.content = content
    let source = MemoryByteSource(ZipSample([.init("a"), large, .init("b")]).bytes())
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    let before = source.reads.count
    #expect(
      try TestFiles.firstDifference(
        reader.bytes(of: entries[1], from: 999_000, source: source), Array(content[999_000...])) == nil)
    let read = source.reads[before...].reduce(0) { $0 + $1.count }
    #expect(read < 1_000 + 200)
    #expect(source.reads.count - before <= 2)
    #expect(try TestFiles.firstDifference(reader.bytes(of: entries[1], source: source), content) == nil)
    #expect(
      try TestFiles.firstDifference(
        reader.bytes(of: entries[1], from: 100, source: source, by: 7_919), Array(content[100...])) == nil)
    for offset in [1_000_000, 1_000_001, Int64.max] {
      #expect(try reader.bytes(of: entries[1], from: offset, source: source).isEmpty)
    }
  }

  @Test func readsSmallMembersAtOnce() throws {
    let source = MemoryByteSource(ZipSample([.init("a"), .init("b")]).bytes())
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    #expect(try reader.bytes(of: entries[0], source: source) == Array("content".utf8))
    #expect(source.reads.count == 2)
  }

  @Test func toleratesLongLocalExtraFields() throws {
    var member = ZipSample.Member("a")
    member.localExtra = ZipSample.field(0xCAFE, [UInt8](repeating: 1, count: 60_000))
    #expect(try Self.read(ZipSample([member]).bytes()) == Array("content".utf8))
  }

  @Test func localHeadersThatLie() {
    #expect(Self.failure { _ in } == nil)
    #expect(Self.failure { $0.localName = Array("b".utf8) }.isDamaged("another name"))
    #expect(Self.failure { $0.localName = Array("../b/../a".utf8) } == nil)
    #expect(Self.failure { $0.localMethod = 8 }.isDamaged("Deflate"))
    #expect(Self.failure { $0.checksum = 1 }.isDamaged("checksum"))
    #expect(Self.failure { $0.size = 8 }.isDamaged("stored with 7 bytes"))
    #expect(Self.failure { $0.size = 6 }.isDamaged("stored with 7 bytes"))
    #expect(Self.failure { ($0.size, $0.compressedSize) = (6, 6) }.isDamaged("checksum"))
    #expect(
      Self.failure {
        ($0.size, $0.compressedSize, $0.content) = (0, 0, []); $0.checksum = 1
      }.isDamaged("checksum"))
    #expect(
      Self.failure {
        ($0.method, $0.size, $0.compressedSize, $0.content) = (8, 0, 0, [])
        $0.checksum = 1
      }.isDamaged("checksum"))
    // A local header that takes the directory's first bytes for data.
    #expect(
      Self.failure {
        $0.localExtra = [1, 2, 3]
        $0.position = 3
      }.isDamaged("no local header"))
  }

  /// Names in two codings are one name, whatever their lengths and wherever the member lies; others refuse their member alone.
  @Test func namesOfTwoCodings() throws {
    /// The content of a member between and after others, or nil where it is refused.
    func content(_ name: [UInt8], local: [UInt8], flags: UInt16 = 0, isLast: Bool) throws -> [UInt8]? {
      var member = ZipSample.Member(bytes: name)
      (member.localName, member.flags) = (local, flags)
      let members = [ZipSample.Member("first"), member] + (isLast ? [] : [ZipSample.Member("last")])
      let source = MemoryByteSource(ZipSample(members).bytes())
      let reader = ZipReader(source: source)
      let entries = try reader.readEntries()
      #expect(entries.count == members.count)
      for (index, entry) in entries.enumerated() where index != 1 {
        #expect(try reader.bytes(of: entry, source: source) == Array("content".utf8))
      }
      return try? reader.bytes(of: entries[1], source: source)
    }
    let name = Array("d/\u{e9}\u{8868}.txt".utf8)
    for isLast in [true, false] {
      // Latin 1, code page 932 (whose second byte is a backslash), and what cannot be written.
      for local in [[0xE9, 0x3F], [0x95, 0x5C], [0x3F], [0x5F, 0x5F]] as [[UInt8]] {
        let local = Array("d/".utf8) + local + Array(".txt".utf8)
        #expect(try content(name, local: local, isLast: isLast) == Array("content".utf8))
        #expect(try content(local, local: name, isLast: isLast) == Array("content".utf8))
        #expect(try content(name, local: local, flags: ZipName.utf8Flag, isLast: isLast) == nil)
      }
      for local in ["d/x.doc", "e/x.txt", "d/.txt", "other", "", "a-name-that-is-longer-than-the-other.txt"] {
        #expect(try content(name, local: Array(local.utf8), isLast: isLast) == nil)
        #expect(try content(Array("d/y.txt".utf8), local: Array(local.utf8), isLast: isLast) == nil)
      }
    }
  }

  @Test func methodsThatNothingUndoes() {
    #expect(Self.failure { $0.method = 6 }.isUnsupported("Implode"))
    #expect(Self.failure { $0.method = 9 }.isUnsupported("Deflate64"))
    #expect(Self.failure { $0.method = 1_234 }.isUnsupported("method 1234"))
    #expect(Self.failure(password: "x") { $0.flags = 0x41 }.isUnsupported("strong encryption"))
    #expect(Self.failure { $0.flags = 1 } == .passwordRequired)
    #expect(Self.failure(password: "x") { $0.flags = 1 }.isDamaged("too short"))
    #expect(Self.failure(password: "x") { ($0.flags, $0.method) = (1, 99) }.isDamaged("does not say how"))
  }

  @Test(arguments: [8, 12, 14, 93, 95, 98] as [UInt16]) func packedBytesThatAreNone(method: UInt16) {
    for content in [[], [0], [1, 2, 3], [UInt8](repeating: 0, count: 100), [UInt8](repeating: 255, count: 70_000)] {
      #expect(
        Self.failure {
          $0.method = method
          $0.content = content
          $0.size = 1_000
        } != nil)
    }
  }

  @Test func limits() {
    var limits = ArchiveConfiguration()
    limits.maximumMemberSize = 6
    #expect(Self.failure(limits: limits) { _ in }.isLimit("maximumMemberSize"))
    limits = ArchiveConfiguration()
    limits.freelyExpandedBytes = 1_000
    limits.maximumExpansionRatio = 10
    #expect(Self.failure(limits: limits) { ($0.method, $0.size) = (8, 1_001) }.isLimit("maximumExpansionRatio"))
    #expect(Self.failure(limits: limits) { ($0.method, $0.size) = (8, 1_000) }.isDamaged("decompression failed"))
    limits.maximumMemberSize = .max
    #expect(throws: Never.self) { try limits.check(memberSize: .max, compressedSize: .max / 2) }
  }

  @Test func stopsWhenCancelled() throws {
    let source = MemoryByteSource(ZipSample([.init("a")]).bytes())
    let reader = ZipReader(source: source)
    let entry = try #require(try reader.readEntries().first)
    source.cancel()
    #expect(throws: ArchiveError.cancelled) { try reader.open(entry, from: 0, source: source, password: nil) }
    #expect(throws: ArchiveError.cancelled) { try reader.readEntries() }
  }

  @Test func membersOfOtherArchives() {
    let reader = ZipReader(source: MemoryByteSource([]))
    for location in [
      ArchiveEntry.Location.none, .plain(position: 0), .ordinal(1, headerPosition: nil),
      .zip(localHeader: -1, compressedSize: 1, method: 0, flags: 0),
      .zip(localHeader: 0, compressedSize: -1, method: 0, flags: 0),
      .zip(localHeader: .max, compressedSize: .max, method: 0, flags: 0),
      .zip(localHeader: 0, compressedSize: 5, method: 0, flags: 0),
    ] {
      let entry = ArchiveEntry(path: [97], kind: .file, size: 5, location: location)
      #expect(throws: ArchiveError.self) {
        try reader.open(entry, from: 0, source: MemoryByteSource([]), password: nil)
      }
      #expect(throws: ArchiveError.self) {
        try reader.open(entry, from: 0, source: MemoryByteSource([], tellsLength: false), password: nil)
      }
    }
  }
}
