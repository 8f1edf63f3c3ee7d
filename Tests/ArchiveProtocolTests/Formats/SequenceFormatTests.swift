import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// tar, cpio and ar as real tools write them.
struct SequenceFormatTests {
  private let folder: TemporaryDirectory
  private var archive: URL { folder.file("archive") }

  init() throws {
    folder = try TemporaryDirectory("sequence")
  }

  @Test(arguments: ["gnu", "oldgnu", "pax"])
  func tarWithEveryName(format: String) async throws {
    let tree = try SampleTree()
    try tree.addLinks()
    try await tree.make(archive, "tar", ["--format=\(format)", "--sort=name", "-cf", "ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "tar")
    // One of the two names comes first and has the bytes; the other is a hard link.
    #expect(Set(opened.fileNames) == Set(tree.files.keys))
    try opened.expect(tree.files)
    #expect(opened.byPath["dir/soft"]?.kind == .symbolicLink(target: Array("../a.txt".utf8)))
    #expect(opened.byPath["hard"]?.kind == .hardLink(to: Array("dir/big.bin".utf8)))
    try opened.expect(["hard": tree.files["dir/big.bin"] ?? Data()])
    #expect(opened.byPath["dir"]?.kind == .directory)
    #expect(opened.byPath["dir/big.bin"]?.size == 700_001)
    let date = try #require(opened.byPath["a.txt"]?.modificationDate)
    #expect(abs(date.timeIntervalSinceNow) < 600)
  }

  @Test(arguments: ["v7", "ustar"])
  func tarWithShortNames(format: String) async throws {
    let tree = try SampleTree(hasAllNames: false)
    try await tree.make(archive, "tar", ["--format=\(format)", "-cf", "ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    #expect(Set(opened.fileNames) == Set(tree.files.keys))
    try opened.expect(tree.files)
  }

  @Test(arguments: [["--format=pax"], ["--format=ustar"], ["--format=gnutar"], ["--format=v7"]])
  func tarOfBsdtar(options: [String]) async throws {
    let tree = try SampleTree(hasAllNames: options == ["--format=pax"] || options == ["--format=gnutar"])
    try await tree.make(archive, "bsdtar", options + ["-cf", "ARCHIVE", "."])
    let opened = try OpenedArchive(archive)
    #expect(Set(opened.fileNames) == Set(tree.files.keys))
    try opened.expect(tree.files)
  }

  @Test(arguments: ["0.0", "0.1", "1.0", "gnu"])
  func sparseTar(version: String) async throws {
    let tree = try TemporaryDirectory("sparse")
    let sparse = try tree.write("sparse", "")
    let handle = try FileHandle(forWritingTo: sparse)
    try handle.truncate(atOffset: 9_000_000)
    try handle.seek(toOffset: 1_000_000)
    try handle.write(contentsOf: TestFiles.pattern(count: 300_000))
    try handle.seek(toOffset: 5_000_000)
    try handle.write(contentsOf: Data("island".utf8))
    try handle.close()
    let hole = try tree.write("hole", "")
    let holeHandle = try FileHandle(forWritingTo: hole)
    try holeHandle.truncate(atOffset: 3_000_000)
    try holeHandle.close()
    try tree.write("z-after", "after")
    let format = version == "gnu" ? ["--format=gnu"] : ["--format=pax", "--sparse-version=\(version)"]
    try await Command.check(
      Tool.path("tar"), format + ["--sparse", "-cf", archive.path, "sparse", "hole", "z-after"], directory: tree.url)
    let opened = try OpenedArchive(archive)
    #expect(opened.fileNames == ["hole", "sparse", "z-after"])
    if case .plain = opened.byPath["sparse"]?.location { Issue.record("a sparse file is no range") }
    try opened.expect([
      "sparse": try Data(contentsOf: sparse), "hole": Data(count: 3_000_000), "z-after": Data("after".utf8),
    ])
    // The data is the smaller part: the holes are not in the archive.
    #expect(try Data(contentsOf: archive).count < 1_000_000)
  }

  @Test func namesOfOtherCharacterSetsKeepTheirBytes() async throws {
    let tree = try TemporaryDirectory("latin1")
    let name: [UInt8] = [0x67, 0x72, 0xfc, 0x6e]
    let path = (Array(tree.path.utf8) + [0x2f] + name + [0]).map { CChar(bitPattern: $0) }
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o644)
    try #require(descriptor >= 0, "not made")
    close(descriptor)
    for format in ["ustar", "gnu", "pax"] {
      try await Command.check(
        Tool.path("tar"), ["--format=\(format)", "-cf", archive.path, "."], directory: tree.url)
      #expect(try OpenedArchive(archive).entries.map(\.path) == [name], "\(format)")
    }
  }

  @Test func theLastOfDuplicatesIsListedLast() async throws {
    let tree = try TemporaryDirectory("duplicates")
    try tree.write("x", "first")
    try await Command.check(Tool.path("tar"), ["-cf", archive.path, "x"], directory: tree.url)
    try tree.write("x", "second")
    try await Command.check(Tool.path("tar"), ["-rf", archive.path, "./x"], directory: tree.url)
    let opened = try OpenedArchive(archive)
    #expect(opened.entries.map(\.path) == [Array("x".utf8), Array("x".utf8)])
    #expect(try opened.read("x") == Data("second".utf8))
  }

  /// What a name leads to.
  private func load(_ path: String) throws -> Data? {
    let opened = try OpenedArchive(archive)
    guard case .member(let entry) = ArchiveIndex(opened.entries).resolve(Array(path.utf8)) else { return nil }
    return try opened.read(entry)
  }

  @Test(arguments: ["gnu", "pax", "v7"]) func aFileThatIsArchivedTwice(format: String) async throws {
    let tree = try TemporaryDirectory("twice")
    try tree.write("foo", "content")
    try FileManager.default.linkItem(atPath: tree.path + "/foo", toPath: tree.path + "/bar")
    for names in [["foo", "foo"], ["foo", "bar", "foo"], ["foo", "bar", "bar", "foo", "foo"]] {
      try await Command.check(
        Tool.path("tar"), ["--format=\(format)", "-chf", archive.path] + names, directory: tree.url)
      for name in Set(names) { #expect(try load(name) == Data("content".utf8), "\(names): \(name)") }
      #expect(try OpenedArchive(archive).byPath["foo"]?.kind == .file)
    }
  }

  /// A link is another name of the file that had its target's name when it was made, as for extraction tools.
  @Test func linksInAnyOrder() async throws {
    let tree = try TemporaryDirectory("order")
    func add(_ names: String..., content: String) async throws {
      try tree.write(names[0], content)
      for name in names.dropFirst() {
        try? FileManager.default.removeItem(at: tree.file(name))
        try FileManager.default.linkItem(at: tree.file(names[0]), to: tree.file(name))
      }
      try await Command.check(Tool.path("tar"), ["-rhf", archive.path] + names, directory: tree.url)
      for name in names { try FileManager.default.removeItem(at: tree.file(name)) }
    }
    try await add("a", "b", content: "first")
    try await add("a", content: "second")
    #expect(try load("a") == Data("second".utf8) && load("b") == Data("first".utf8))
    // Each is a link to the other.
    try await add("b", "a", content: "third")
    #expect(try load("a") == Data("third".utf8) && load("b") == Data("third".utf8))
    try await add("b", "c", content: "fourth")
    try await add("c", "d", "a", content: "fifth")
    let expected = ["a": "fifth", "b": "fourth", "c": "fifth", "d": "fifth"]
    for (name, content) in expected { #expect(try load(name) == Data(content.utf8), "\(name)") }
    let extracted = try TemporaryDirectory("extracted")
    try await Command.check(Tool.path("tar"), ["-xf", archive.path], directory: extracted.url)
    for (name, content) in expected { #expect(try Data(contentsOf: extracted.file(name)) == Data(content.utf8)) }
  }

  @Test(arguments: ["newc", "crc", "odc", "bin", "hpbin"])
  func cpio(format: String) async throws {
    let tree = try SampleTree(hasAllNames: format != "bin" && format != "hpbin")
    try tree.addLinks()
    var names = Set(tree.files.keys).union(["hard", "dir/soft", "dir"])
    names.remove("a.txt")
    try await tree.make(
      archive, "cpio", ["-o", "-H", format, "-O", "ARCHIVE"],
      input: Data((["a.txt"] + names.sorted()).joined(separator: "\n").utf8))
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "cpio")
    try opened.expect(tree.files)
    try opened.expect(["hard": tree.files["dir/big.bin"] ?? Data()])
    #expect(opened.byPath["dir/soft"]?.kind == .symbolicLink(target: Array("../a.txt".utf8)))
  }

  @Test func cpioChecksumIsChecked() async throws {
    let tree = try TemporaryDirectory("crc")
    try tree.write("x", "the bytes that are summed up")
    try await Command.check(
      Tool.path("cpio"), ["-o", "-H", "crc", "-O", archive.path], input: Data("x\n".utf8), directory: tree.url)
    var bytes = try Data(contentsOf: archive)
    let position = try #require(bytes.range(of: Data("summed".utf8))).lowerBound
    bytes[position] ^= 1
    let opened = try OpenedArchive(MemoryByteSource(bytes))
    #expect(throws: ArchiveError.damaged("the member's bytes do not add up to its checksum")) { try opened.read("x") }
  }

  @Test func ar() async throws {
    let tree = try SampleTree(hasAllNames: false)
    try tree.directory.write("a-name-that-is-longer-than-sixteen-bytes.o", "object")
    try await tree.make(
      archive, "ar", ["rcS", "ARCHIVE", "a.txt", "dir/big.bin", "a-name-that-is-longer-than-sixteen-bytes.o"])
    let opened = try OpenedArchive(archive)
    #expect(opened.reader.formatName == "ar")
    try opened.expect([
      "a.txt": Data("hello\n".utf8), "big.bin": tree.files["dir/big.bin"] ?? Data(),
      "a-name-that-is-longer-than-sixteen-bytes.o": Data("object".utf8),
    ])
    try await tree.make(
      archive, "bsdtar", ["--format=ar", "-cf", "ARCHIVE", "a.txt", "a-name-that-is-longer-than-sixteen-bytes.o"])
    try OpenedArchive(archive).expect([
      "a.txt": Data("hello\n".utf8), "a-name-that-is-longer-than-sixteen-bytes.o": Data("object".utf8),
    ])
  }

  @Test(arguments: ["gzip", "xz", "zstd", "none"])
  func debianPackage(compression: String) async throws {
    let tree = try TemporaryDirectory("deb")
    try tree.write(
      "DEBIAN/control", "Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x.x>\nDescription: x\n")
    try tree.write("usr/share/x", TestFiles.pattern(count: 200_000))
    try await Command.check(
      Tool.path("dpkg-deb"), ["--root-owner-group", "-Z\(compression)", "--build", tree.path, archive.path])
    let outer = try OpenedArchive(archive)
    #expect(try outer.read("debian-binary") == Data("2.0\n".utf8))
    let name = try #require(outer.fileNames.first { $0.hasPrefix("data.tar") })
    let inner = try OpenedArchive(MemoryByteSource(try outer.read(name)))
    try inner.expect(["usr/share/x": TestFiles.pattern(count: 200_000)])
  }

  @Test func archiveWithoutMembers() async throws {
    try await Command.check(Tool.path("tar"), ["-cf", archive.path, "-T", "/dev/null"])
    #expect(try OpenedArchive(archive).entries.isEmpty)
    let packed = try await Tool.filter("gzip", data: try Data(contentsOf: archive))
    let opened = try OpenedArchive(MemoryByteSource(packed))
    #expect(opened.reader.formatName == "tar.gz")
    #expect(opened.entries.isEmpty)
  }

  @Test func memberBeyondTheEndIsDamage() async throws {
    let tree = try SampleTree(hasAllNames: false)
    for (tool, arguments) in [
      ("tar", ["-cf", "ARCHIVE", "a.txt", "dir/big.bin"]),
      ("bsdtar", ["--format=newc", "-cf", "ARCHIVE", "a.txt", "dir/big.bin"]),
      ("ar", ["rcS", "ARCHIVE", "a.txt", "dir/big.bin"]),
    ] {
      try? FileManager.default.removeItem(at: archive)
      try await tree.make(archive, tool, arguments)
      let bytes = try Data(contentsOf: archive).prefix(300_000)
      let error = #expect(throws: ArchiveError.self) { try OpenedArchive(MemoryByteSource(bytes)) }
      guard case .damaged? = error else {
        Issue.record("\(tool): \(String(describing: error))")
        continue
      }
    }
  }
}
