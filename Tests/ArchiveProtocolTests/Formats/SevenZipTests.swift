import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// 7z as 7-Zip and bsdtar write it.
struct SevenZipTests {
  private let folder: TemporaryDirectory
  private var archive: URL { folder.file("archive.7z") }

  init() throws {
    folder = try TemporaryDirectory("seven")
  }

  @Test(arguments: [
    ["-ms=on"], ["-ms=off"], ["-ms=100k"], ["-m0=lzma"], ["-m0=ppmd"], ["-m0=bzip2"], ["-m0=deflate"], ["-m0=copy"],
    ["-m0=delta", "-m1=lzma2"], ["-m0=bcj", "-m1=lzma"], ["-mf=bcj2"], ["-mhc=off"],
  ])
  func everyMethod(options: [String]) async throws {
    let tree = try SampleTree()
    try await tree.make(archive, "7z", ["a", "-bd", "-y"] + options + ["ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "7z")
    #expect(Set(opened.fileNames) == Set(tree.files.keys))
    try opened.expect(tree.files)
  }

  @Test(arguments: ["lzma1", "bzip2", "store", "ppmd"]) func ofBsdtar(compression: String) async throws {
    let tree = try SampleTree()
    try tree.addLinks()
    try await tree.make(
      archive, "bsdtar", ["--format=7zip", "--options=7zip:compression=\(compression)", "-cf", "ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    try opened.expect(tree.files)
    #expect(opened.byPath["dir/soft"]?.kind == .symbolicLink(target: Array("../a.txt".utf8)))
  }

  @Test(arguments: [["-psecret"], ["-psecret", "-mhe=on"]]) func encryptedIsUnsupported(options: [String]) async throws
  {
    let tree = try SampleTree()
    try await tree.make(archive, "7z", ["a", "-bd", "-y"] + options + ["ARCHIVE", "a.txt"])
    let error = #expect(throws: ArchiveError.self) { try OpenedArchive(archive).read("a.txt") }
    guard case .unsupported? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func foldersAreFound() async throws {
    let tree = try SampleTree()
    for (options, expected) in [("-ms=on", 1), ("-ms=off", tree.files.count - 1)] {
      try? FileManager.default.removeItem(at: archive)
      try await tree.make(archive, "7z", ["a", "-bd", "-y", "-mqs=on", options, "ARCHIVE", "."])
      let layout = try SevenZipLayout.read(from: try LocalByteSource(archive), limits: .all)
      #expect(Set(layout.folders.compactMap { $0 }).count == expected)
      #expect(layout.folders.count == (try OpenedArchive(archive)).entries.count)
    }
  }

  /// 7-Zip packs headers by LZMA, py7zr by LZMA2.
  @Test(arguments: [HandmadeSevenZip.Packing.copy, .lzma, .lzma2])
  func headersOfOtherTools(packing: HandmadeSevenZip.Packing) async throws {
    let tree = try SampleTree()
    try await tree.make(archive, "7z", ["a", "-bd", "-y", "-mhc=off", "ARCHIVE", "."])
    let (body, header) = HandmadeSevenZip.parts(of: try Data(contentsOf: archive))
    let repacked = try OpenedArchive(
      MemoryByteSource(try await HandmadeSevenZip.archive(header, packing, body: body)))
    #expect(Set(repacked.fileNames) == Set(tree.files.keys))
    try repacked.expect(tree.files)
  }

  @Test func anArchiveOfNothingIsEmpty() async throws {
    let empty = try await HandmadeSevenZip.archive([], .plain)
    #expect(try OpenedArchive(MemoryByteSource(empty)).entries.isEmpty)
  }

  @Test func aMemberThatIsPackedAloneIsReadAlone() async throws {
    let tree = try TemporaryDirectory("separate")
    for index in 0..<20 { try tree.write("m\(index)", TestFiles.pattern(count: 200_000, seed: UInt64(index))) }
    try await Command.check(Tool.path("7z"), ["a", "-bd", "-ms=off", "-mx=1", archive.path, "."], directory: tree.url)
    let counting = CountingByteSource(try LocalByteSource(archive))
    let opened = try OpenedArchive(counting)
    #expect(counting.count < 300_000)
    counting.reset()
    #expect(try TestFiles.firstDifference(opened.read("m17"), TestFiles.pattern(count: 200_000, seed: 17)) == nil)
    #expect(counting.count < 900_000)
  }

  @Test func aSecondMemberOfASolidArchiveCostsNoSecondPass() async throws {
    let tree = try TemporaryDirectory("solid")
    for index in 0..<20 { try tree.write("m\(index)", TestFiles.pattern(count: 200_000, seed: UInt64(index))) }
    try await Command.check(
      Tool.path("7z"), ["a", "-bd", "-ms=on", "-mx=1", archive.path, "."], directory: tree.url)
    let counting = CountingByteSource(try LocalByteSource(archive))
    let opened = try OpenedArchive(counting)
    let length = try #require(counting.length)
    counting.reset()
    for index in [7, 3, 12, 7, 0, 19] {
      #expect(
        try TestFiles.firstDifference(opened.read("m\(index)"), TestFiles.pattern(count: 200_000, seed: UInt64(index)))
          == nil)
    }
    #expect(counting.count < length + 1_000_000)
    let before = counting.count
    for index in 0..<20 { #expect(try opened.read("m\(index)", from: 199_999).count == 1) }
    #expect(counting.count == before)
  }

  @Test func flippedBytesAreFound() async throws {
    let tree = try SampleTree(hasAllNames: false)
    for options in ["-ms=on", "-ms=off"] {
      try? FileManager.default.removeItem(at: archive)
      try await tree.make(archive, "7z", ["a", "-bd", "-y", "-m0=copy", options, "ARCHIVE", "dir/big.bin", "a.txt"])
      var bytes = try Data(contentsOf: archive)
      bytes[bytes.count / 2] ^= 1
      let opened = try OpenedArchive(MemoryByteSource(bytes))
      let error = #expect(throws: ArchiveError.self) { try opened.read("dir/big.bin") }
      guard case .damaged? = error else {
        Issue.record("\(options): \(String(describing: error))")
        return
      }
    }
  }
}
