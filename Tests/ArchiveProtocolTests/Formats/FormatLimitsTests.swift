import Foundation
import Glibc
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives that would cost too much.
struct FormatLimitsTests {
  private func options(_ change: (inout ArchiveConfiguration) -> Void) -> ArchiveConfiguration {
    var options = ArchiveConfiguration.all
    change(&options)
    return options
  }

  private func limit(of body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch ArchiveError.limitExceeded(_, _, let property) {
      return property
    } catch {
      return "\(error)"
    }
  }

  @Test func members() async throws {
    let tree = try SampleTree()
    let archive = tree.directory.file("x.7z")
    for command in [["tar", "-cf", "ARCHIVE", "dir"], ["7z", "a", "-bd", "ARCHIVE", "dir"]] {
      try? FileManager.default.removeItem(at: archive)
      try await tree.make(archive, command[0], Array(command.dropFirst()))
      #expect(
        limit { _ = try OpenedArchive(archive, options: options { $0.maximumMembers = 3 }) } == "maximumMembers"
      )
      #expect(
        limit { _ = try OpenedArchive(archive, options: options { $0.maximumIndexBytes = 300 }) } == "maximumIndexBytes"
      )
    }
  }

  @Test(arguments: ["gzip", "xz", "zstd", "bzip2"]) func decodedBytes(program: String) async throws {
    let packed = try await Tool.filter(program, data: Data(count: 20_000_000))
    #expect(
      limit {
        try OpenedArchive(
          MemoryByteSource(packed), name: nil, options: options { $0.maximumSpooledBytes = 10_000_000 }
        ).read("data")
      } == "maximumSpooledBytes")
    #expect(
      limit {
        try OpenedArchive(
          MemoryByteSource(packed), name: nil,
          options: options {
            $0.maximumExpansionRatio = 100
            $0.freelyExpandedBytes = 1_000_000
          }
        ).read("data")
      } == "maximumExpansionRatio")
  }

  @Test(arguments: ["-ms=on", "-ms=off"]) func sevenZip(solid: String) async throws {
    let tree = try TemporaryDirectory("bomb")
    for name in ["a", "b", "c"] { try tree.write(name, Data(count: 5_000_000)) }
    let file = tree.file("x.7z")
    try await Command.check(
      Tool.path("7z"), ["a", "-bd", solid, file.path, "a", "b", "c"], directory: tree.url)
    let ratio = options {
      $0.maximumExpansionRatio = 20
      $0.freelyExpandedBytes = 1_000_000
    }
    #expect(limit { try OpenedArchive(file, options: ratio).read("c") } == "maximumExpansionRatio")
    let spool = options { $0.maximumSpooledBytes = 6_000_000 }
    #expect(
      limit { try OpenedArchive(file, options: spool).read("c") } == (solid == "-ms=on" ? "maximumSpooledBytes" : nil))
  }

  /// Reads the first bytes of a member.
  private func begin(_ name: String, in archive: OpenedArchive) throws -> Int {
    let entry = try #require(archive.byPath[name])
    let body = try archive.reader.open(entry, from: 0, source: archive.source, password: nil)
    var buffer = [UInt8](repeating: 1, count: 1 << 16)
    return try buffer.withUnsafeMutableBytes { try body.read(into: $0) }
  }

  @Test func aHoleIsLimited() throws {
    let honest = try OpenedArchive(MemoryByteSource(SparseTar.hole(named: "x", size: 1 << 20)))
    #expect(try honest.read("x") == Data(count: 1 << 20))
    let huge = SparseTar.hole(named: "x", size: 1 << 62)
    #expect(limit { _ = try begin("x", in: OpenedArchive(MemoryByteSource(huge))) } == "maximumMemberSize")
    let unlimited = options { $0.maximumMemberSize = .max }
    #expect(
      limit { _ = try begin("x", in: OpenedArchive(MemoryByteSource(huge), options: unlimited)) }
        == "maximumExpansionRatio")
  }

  @Test(arguments: [
    ["tar", "-cf", "ARCHIVE", "dir"], ["cpio", "-o", "-H", "newc", "-O", "ARCHIVE"],
    ["7z", "a", "-bd", "ARCHIVE", "dir"], ["7z", "a", "-bd", "-ms=off", "ARCHIVE", "dir"],
    ["zip", "-qr", "ARCHIVE", "dir"],
  ]) func memberSize(command: [String]) async throws {
    let tree = try SampleTree()
    let archive = tree.directory.file("x.\(command[0])")
    let input = command[0] == "cpio" ? Data("dir/big.bin".utf8) : nil
    try await tree.make(archive, command[0], Array(command.dropFirst()), input: input)
    let small = options { $0.maximumMemberSize = 700_000 }
    #expect(limit { _ = try begin("dir/big.bin", in: OpenedArchive(archive, options: small)) } == "maximumMemberSize")
    let enough = options { $0.maximumMemberSize = 700_001 }
    #expect(try OpenedArchive(archive, options: enough).read("dir/big.bin") == tree.files["dir/big.bin"])
  }

  /// libarchive takes memory for what the header announces, before it sees whether that comes. Here it does not.
  @Test(arguments: [HandmadeSevenZip.Packing.plain, .copy, .lzma, .lzma2])
  func whatAHeaderOf7zAnnouncesIsLimited(packing: HandmadeSevenZip.Packing) async throws {
    let many = HandmadeSevenZip.number(8_000_000)
    for (header, what) in [
      ([0x01, 0x05] + many + [0x00, 0x00], "files"),
      ([0x01, 0x04, 0x06] + HandmadeSevenZip.number(0) + HandmadeSevenZip.number(64_000_000) + [0x09], "streams"),
      ([0x01, 0x04, 0x07, 0x0b] + many + [0x00], "folders"),
    ] {
      let bytes = try await HandmadeSevenZip.archive(header, packing)
      #expect(limit { _ = try OpenedArchive(MemoryByteSource(bytes)) } == "maximumMembers", "\(what)")
    }
    guard packing != .plain else { return }
    let long = try await HandmadeSevenZip.archive([0x01, 0x00], packing, size: 1 << 40)
    #expect(limit { _ = try OpenedArchive(MemoryByteSource(long)) } == "maximumIndexBytes")
  }

  /// Whose size nobody knows before libarchive has unpacked it.
  @Test func aHeaderOf7zThatCannotBeLimitedIsUnsupported() async throws {
    let bytes = try await HandmadeSevenZip.archive([0x01, 0x00], .bzip2)
    let error = #expect(throws: ArchiveError.self) { try OpenedArchive(MemoryByteSource(bytes)) }
    guard case .unsupported? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func nothingIsLeftOnDisk() async throws {
    let packed = try await Tool.filter("gzip", data: TestFiles.pattern(count: 3_000_000))
    let folder = try TemporaryDirectory("spool")
    var options = ArchiveConfiguration.all
    options.temporaryDirectory = folder.url
    let opened = try OpenedArchive(MemoryByteSource(packed), name: "../../escape.gz", options: options)
    #expect(try opened.read(opened.entries[0]).count == 3_000_000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aDirectoryThatIsNotThereIsNamed() async throws {
    let packed = try await Tool.filter("gzip", data: Data("x".utf8))
    var options = ArchiveConfiguration.all
    options.temporaryDirectory = URL(fileURLWithPath: "/nowhere/at/all")
    let error = #expect(throws: SpoolFile.Failure.self) {
      try OpenedArchive(MemoryByteSource(packed), name: nil, options: options)
    }
    #expect(error?.code == ENOENT)
    #expect(error?.localizedDescription.contains("/nowhere/at/all") == true)
  }
}
