import Foundation
import Testing
import URLLoadingCZlib

@testable import ArchiveProtocol

struct ZipDirectoryParserTests {
  private static func member(_ name: [UInt8], _ change: (inout ZipSample.Member) -> Void = { _ in }) throws
    -> ArchiveEntry?
  {
    var member = ZipSample.Member(bytes: name)
    change(&member)
    return try ZipSample.entries(ZipSample([member]).bytes()).first
  }

  private static func member(_ name: String, _ change: (inout ZipSample.Member) -> Void = { _ in }) throws
    -> ArchiveEntry?
  {
    try member(Array(name.utf8), change)
  }

  @Test(
    arguments: [
      ("a/b", "a/b"), ("/etc/passwd", "etc/passwd"), ("../../x", "x"), ("a/../../../b", "b"), ("a//b", "a/b"),
      ("./a/.", "a"),
      ("a/./b", "a/b"), ("...", "..."), ("..a/.b", "..a/.b"), ("//", nil), ("..", nil), ("", nil), ("/", nil),
      (".", nil),
      ("nul\0byte", "nul\0byte"), ("C:/x", "C:/x"),
    ] as [(String, String?)])
  func namesAreCanonical(name: String, expected: String?) throws {
    #expect(try Self.member(name)?.name == expected)
  }

  @Test func namesOfOtherSystems() throws {
    #expect(try Self.member("a\\b\\..\\..\\..\\c")?.name == "c")
    #expect(try Self.member("d\\")?.kind == .directory)
    // Under Unix it is a character like others.
    #expect(try Self.member("a\\b") { $0.madeBy = 3 << 8 }?.name == "a\\b")
  }

  @Test func namesInTheirEncodings() throws {
    // UTF-8 without a word is what many tools write.
    #expect(try Self.member("日本")?.name == "日本")
    #expect(try Self.member([0x81, 0x2F, 0x9B, 0xE1, 0xFF])?.name == "ü/¢ß\u{a0}")
    // With the flag nothing else is tried.
    #expect(try Self.member([0x81, 0xFF]) { $0.flags = ZipName.utf8Flag }?.path == [0x81, 0xFF])
    let raw: [UInt8] = [0x3F, 0x2E, 0x74]
    func unicodePath(version: UInt8 = 1, of name: [UInt8]) -> [UInt8] {
      var data = [version]
      data.append(littleEndian: UInt32(truncatingIfNeeded: crc32_z(0, name, name.count)))
      return ZipSample.field(0x7075, data + Array("../ж.t".utf8))
    }
    #expect(try Self.member(raw) { $0.extra = unicodePath(of: raw) }?.name == "ж.t")
    // Somebody renamed the member and left the field.
    #expect(try Self.member(raw) { $0.extra = unicodePath(of: [1]) }?.name == "?.t")
    #expect(try Self.member(raw) { $0.extra = unicodePath(version: 2, of: raw) }?.name == "?.t")
    #expect(try Self.member(raw) { $0.extra = ZipSample.field(0x7075, [1, 2]) }?.name == "?.t")
  }

  @Test func codePage437IsWhole() {
    let all = CodePage437.utf8(Array(0...255))
    let scalars = String(decoding: all, as: UTF8.self).unicodeScalars
    #expect(scalars.count == 256)
    #expect(Set(scalars).count == 256)
  }

  @Test func kinds() throws {
    func kind(
      _ name: String, _ system: UInt16, _ mode: UInt32, dos: UInt32 = 0, content: String = "content"
    ) throws -> ArchiveEntry.Kind? {
      try Self.member(name) {
        $0.madeBy = system << 8
        $0.attributes = mode << 16 | dos
        $0.content = Array(content.utf8)
      }?.kind
    }
    #expect(try kind("a", 3, 0o100644) == .file)
    #expect(try kind("a", 3, 0) == .file)
    #expect(try kind("a", 3, 0o120777) == .symbolicLink(target: []))
    #expect(try kind("a", 19, 0o120777) == .symbolicLink(target: []))
    #expect(try kind("a", 0, 0o120777) == .file)
    #expect(try kind("a", 3, 0o040755, content: "") == .directory)
    #expect(try kind("a/", 3, 0o120777) == .directory)
    #expect(try kind("a/", 0, 0) == .directory)
    #expect(try kind("a", 3, 0o020644, content: "") == .other(.characterDevice))
    #expect(try kind("a", 3, 0o140644, content: "") == .other(.socket))
    // The folder of a tool for MS-DOS or Windows, without a slash.
    for system: UInt16 in [0, 10, 11, 14, 3] {
      #expect(try kind("a", system, 0, dos: 0x10, content: "") == .directory)
      #expect(try kind("a", system, 0, dos: 0x20, content: "") == .file)
    }
    #expect(try kind("a", 2, 0, dos: 0x10, content: "") == .file)
    // What came from a pipe has the mode of one.
    #expect(try kind("-", 3, 0o010600, content: "") == .file)
    // No kind takes data away.
    for mode: UInt32 in [0o010644, 0o020644, 0o060644, 0o140644, 0o040755, 0o170000] {
      #expect(try kind("a", 3, mode) == .file)
    }
    #expect(try kind("a", 0, 0, dos: 0x10) == .file)
    #expect(try kind("a", 3, 0o120777, content: String(repeating: "x", count: 4097)) == .file)
  }

  @Test func times() throws {
    func date(_ extra: [UInt8] = [], dosDate: UInt16 = 0x21, dosTime: UInt16 = 0) throws -> String? {
      try Self.member("a") {
        $0.extra = extra
        $0.dosDate = dosDate
        $0.dosTime = dosTime
      }?.modificationDate.map { $0.ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true)) + "Z" }
    }
    #expect(try date() == "1980-01-01T00:00:00.000Z")
    #expect(try date(dosDate: 20 << 9 | 2 << 5 | 29, dosTime: 23 << 11 | 59 << 5 | 29) == "2000-02-29T23:59:58.000Z")
    #expect(try date(dosDate: 127 << 9 | 12 << 5 | 31) == "2107-12-31T00:00:00.000Z")
    #expect(try date(dosDate: 120 << 9 | 3 << 5 | 1) == "2100-03-01T00:00:00.000Z")
    for (wrongDate, wrongTime) in [
      (0, 0), (1, 0), (0x20, 0), (13 << 5 | 1, 0), (0x21, 24 << 11), (0x21, 60 << 5), (0x21, 30),
    ] {
      #expect(try date(dosDate: UInt16(wrongDate), dosTime: UInt16(wrongTime)) == nil)
    }
    let extended = ZipSample.field(0x5455, [1, 0x00, 0xCA, 0x9A, 0x3B])
    #expect(try date(extended) == "2001-09-09T01:46:40.000Z")
    #expect(try date(ZipSample.field(0x5455, [1, 0xFF, 0xFF, 0xFF, 0xFF])) == "1969-12-31T23:59:59.000Z")
    // Without its flag, and too short.
    #expect(try date(ZipSample.field(0x5455, [2, 0, 0, 0, 0])) == "1980-01-01T00:00:00.000Z")
    #expect(try date(ZipSample.field(0x5455, [1, 0, 0])) == "1980-01-01T00:00:00.000Z")
    var ticks: [UInt8] = []
    ticks.append(littleEndian: UInt64((1_000_000_000 + 11_644_473_600) * 10_000_000 + 5_000_000))
    let ntfs = ZipSample.field(0x000a, [0, 0, 0, 0, 1, 0, 24, 0] + ticks + ticks + ticks)
    #expect(try date(ntfs) == "2001-09-09T01:46:40.500Z")
    #expect(try date(ntfs + extended) == "2001-09-09T01:46:40.000Z")
    #expect(try date(ZipSample.field(0x000a, [0, 0, 0, 0, 1, 0, 255, 255, 1])) == "1980-01-01T00:00:00.000Z")
    #expect(try date(ZipSample.field(0x5855, [0, 0, 0, 0, 0, 0xCA, 0x9A, 0x3B])) == "2001-09-09T01:46:40.000Z")
    // What is no field ends the fields.
    #expect(try date(extended + [0, 0, 0]) == "2001-09-09T01:46:40.000Z")
    #expect(try date([9, 9, 255, 255] + extended) == "1980-01-01T00:00:00.000Z")
  }

  @Test func zip64Fields() throws {
    func number(_ value: UInt64) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: value)
      return bytes
    }
    let entry = try Self.member("a") {
      $0.size = .max
      $0.compressedSize = .max
      $0.position = .max
      $0.extra = ZipSample.field(1, number(1 << 40) + number(7) + number(0))
    }
    #expect(entry?.size == 1 << 40)
    #expect(entry?.location == .zip(localHeader: 0, compressedSize: 7, method: 0, flags: 0))
    func failure(_ extra: [UInt8]) -> ArchiveError? {
      var member = ZipSample.Member("a")
      (member.size, member.compressedSize, member.position, member.extra) = (.max, .max, .max, extra)
      return ZipSample.failure(ZipSample([member]).bytes())
    }
    #expect(failure(ZipSample.field(1, number(1) + number(7))).isDamaged("lacks a number"))
    #expect(failure(ZipSample.field(1, [])).isDamaged("lacks a number"))
    #expect(failure(ZipSample.field(1, number(.max) + number(7) + number(0))).isDamaged("no file can have"))
    #expect(
      failure(ZipSample.field(1, number(1) + number(UInt64(Int64.max)) + number(0))).isDamaged("into its directory"))
    #expect(
      failure(ZipSample.field(1, number(1) + number(7) + number(UInt64(Int64.max)))).isDamaged("into its directory"))
    #expect(failure([]).isDamaged("into its directory"))
  }

  @Test func membersThatShareBytes() throws {
    func failure(_ positions: [UInt32?], _ change: (inout [ZipSample.Member]) -> Void = { _ in }) -> ArchiveError? {
      var members = positions.indices.map { ZipSample.Member("member\($0)") }
      for (index, position) in positions.enumerated() { members[index].position = position }
      change(&members)
      return ZipSample.failure(ZipSample(members).bytes())
    }
    // Each member takes 44 bytes.
    #expect(failure([nil, nil, nil]) == nil)
    #expect(failure([nil, 88, 44]) == nil)
    #expect(failure([nil, 0]).isDamaged("share bytes"))
    #expect(failure([44, nil, 44]).isDamaged("share bytes"))
    // The length of its name in the local header is not known.
    #expect(failure([nil, 37]) == nil)
    #expect(failure([nil, 36]).isDamaged("share bytes"))
    // The second's data is quoted by the first.
    #expect(failure([nil, nil]) { $0[0].compressedSize = 51 }.isDamaged("share bytes"))
    #expect(failure([nil, nil]) { $0[1].compressedSize = 15 }.isDamaged("into its directory"))
    #expect(failure([nil, nil]) { $0[1].position = 89 }.isDamaged("into its directory"))
  }

  @Test func recordsThatReachTooFar() {
    for position in [28, 29, 30, 31, 32, 33] {
      var bytes = ZipSample([.init("a")]).bytes()
      bytes[38 + position] = 0xFF
      #expect(ZipSample.failure(bytes).isDamaged("beyond the directory's end"))
    }
  }

  @Test func encryptedDirectory() {
    var sample = ZipSample()
    sample.count = 1
    sample.behindRecords = [0x50, 0x4b, 6, 8] + [UInt8](repeating: 7, count: 60)
    #expect(ZipSample.failure(sample.bytes()).isUnsupported("encrypted directory"))
  }

  @Test func duplicatesStayInOrder() throws {
    let entries = try ZipSample.entries(ZipSample([.init("a"), .init("b"), .init("/a")]).bytes())
    #expect(entries.map(\.name) == ["a", "b", "a"])
  }

  @Test func limits() {
    var limits = ArchiveConfiguration()
    limits.maximumMembers = 2
    let three = ZipSample([.init("a"), .init("b"), .init("c")])
    #expect(ZipSample.failure(three.bytes(), limits: limits).isLimit("maximumMembers"))
    #expect(ZipSample.failure(ZipDirectoryFinderTests.two.bytes(), limits: limits) == nil)
    // One whose count says less than there are is not read on.
    var liar = three
    liar.count = 1
    #expect(ZipSample.failure(liar.bytes(), limits: limits).isLimit("maximumMembers"))
    limits = ArchiveConfiguration()
    limits.maximumIndexBytes = 100
    #expect(ZipSample.failure(three.bytes(), limits: limits).isLimit("maximumIndexBytes"))
    #expect(ZipSample.failure(ZipDirectoryFinderTests.two.bytes(), limits: limits) == nil)
  }

  /// Old tools let the count run over.
  @Test func moreThan65535WithoutZip64() throws {
    let members = (0..<65_540).map { ZipSample.Member(String($0)) }
    let entries = try ZipSample.entries(ZipSample(members).bytes())
    #expect(entries.count == 65_540)
    #expect(entries.last?.name == "65539")
  }
}
