import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// ISO 9660, and the formats that are read when the configuration asks.
struct LibarchiveFormatTests {
  private let folder: TemporaryDirectory
  private var archive: URL { folder.file("archive.7z") }

  init() throws {
    folder = try TemporaryDirectory("formats")
  }

  @Test(arguments: [["-R"], ["-J", "-joliet-long"], ["-R", "-J"]]) func isoOfXorriso(options: [String]) async throws {
    let tree = try SampleTree(hasAllNames: options == ["-R"])
    if options.contains("-R") { try tree.addLinks() }
    try await tree.make(archive, "xorriso", ["-as", "mkisofs", "-quiet"] + options + ["-o", "ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "iso9660")
    try opened.expect(tree.files)
    if options.contains("-R") {
      #expect(opened.byPath["dir/soft"]?.kind == .symbolicLink(target: Array("../a.txt".utf8)))
      try opened.expect(["hard": tree.files["dir/big.bin"] ?? Data()])
    }
  }

  @Test(arguments: ["iso9660", "xar", "warc"]) func ofBsdtar(format: String) async throws {
    let tree = try SampleTree(hasAllNames: format != "warc")
    try await tree.make(archive, "bsdtar", ["--format=\(format)", "-cf", "ARCHIVE"] + tree.files.keys.sorted())
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == format)
    try opened.expect(tree.files)
  }

  @Test(arguments: [[], ["-z"]]) func cab(options: [String]) async throws {
    let tree = try SampleTree()
    try await tree.make(archive, "gcab", ["-c"] + options + ["ARCHIVE"] + tree.files.keys.sorted())
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "cab")
    try opened.expect(tree.files)
  }

  @Test(arguments: ["5", "6", "7"]) func lha(method: String) async throws {
    let tree = try SampleTree(hasAllNames: false)
    try await tree.make(archive, "jlha", ["-co\(method)", "ARCHIVE"] + tree.files.keys.sorted())
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "lha")
    try opened.expect(tree.files)
  }

  @Test func rar() throws {
    let files = [("a.txt", Data("hello".utf8)), ("dir/b", TestFiles.pattern(count: 200_000)), ("empty", Data())]
    let opened = try OpenedArchive(MemoryByteSource(HandmadeRar.version4(files)))
    #expect(opened.reader.formatName == "rar")
    try opened.expect(Dictionary(uniqueKeysWithValues: files))
    let five = try OpenedArchive(MemoryByteSource(HandmadeRar.version5(files)))
    #expect(five.reader.formatName == "rar5")
    try five.expect(Dictionary(uniqueKeysWithValues: files))
    let solid = try OpenedArchive(MemoryByteSource(HandmadeRar.version5(files, isSolid: true)))
    try solid.expect(Dictionary(uniqueKeysWithValues: files))
  }

  @Test func rarChecksumsAreChecked() throws {
    for make in [HandmadeRar.version4, { HandmadeRar.version5($0) }] {
      var bytes = make([("a.txt", Data("hello".utf8))])
      let position = try #require(Data(bytes).range(of: Data("hello".utf8))).lowerBound
      bytes[position] ^= 1
      let opened = try OpenedArchive(MemoryByteSource(bytes))
      let error = #expect(throws: ArchiveError.self) { try opened.read("a.txt") }
      guard case .damaged? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func formatsHaveToBeAskedFor() throws {
    let source = MemoryByteSource(HandmadeRar.version5([("a", Data("x".utf8))]))
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveOpening.reader(for: source, archiveName: nil, configuration: ArchiveConfiguration())
    }
    #expect(
      error == .unknownFormat("a rar5 archive, which only `optionalFormats` of the configuration allows"))
  }

  @Test func truncationIsDamage() async throws {
    let tree = try SampleTree(hasAllNames: false)
    for (tool, arguments) in [
      ("xorriso", ["-as", "mkisofs", "-quiet", "-R", "-o", "ARCHIVE", "."]),
      ("bsdtar", ["--format=xar", "-cf", "ARCHIVE", "a.txt", "dir/big.bin"]),
      ("bsdtar", ["--format=warc", "-cf", "ARCHIVE", "a.txt", "dir/big.bin"]),
      ("gcab", ["-c", "ARCHIVE", "a.txt", "dir/big.bin"]), ("jlha", ["-c", "ARCHIVE", "a.txt", "dir/big.bin"]),
      ("7z", ["a", "-bd", "-y", "ARCHIVE", "a.txt", "dir/big.bin"]),
    ] {
      try? FileManager.default.removeItem(at: archive)
      try await tree.make(archive, tool, arguments)
      let bytes = try Data(contentsOf: archive).prefix(500_000)
      #expect(throws: ArchiveError.self, "\(tool)") { try OpenedArchive(MemoryByteSource(bytes)).read("dir/big.bin") }
    }
  }
}
