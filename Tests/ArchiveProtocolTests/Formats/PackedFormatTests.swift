import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Packed archives and packed files, whole and damaged.
struct PackedFormatTests {
  struct Packer: Sendable, CustomTestStringConvertible {
    let program: String
    var arguments = ["-c"]
    let suffix: String

    var testDescription: String { ([program] + arguments).joined(separator: " ") }

    func pack(_ data: Data) async throws -> Data {
      try await Tool.filter(program, arguments, data)
    }
  }

  static let packers = [
    Packer(program: "gzip", suffix: "gz"), Packer(program: "bzip2", suffix: "bz2"), Packer(program: "xz", suffix: "xz"),
    Packer(program: "xz", arguments: ["-c", "--format=lzma"], suffix: "lzma"), Packer(program: "zstd", suffix: "zst"),
    Packer(program: "lz4", suffix: "lz4"),
  ]
  static let variants = [
    Packer(program: "gzip", arguments: ["-1", "-c"], suffix: "gz"),
    Packer(program: "xz", arguments: ["-0", "--check=crc32", "--block-size=100000", "-c"], suffix: "xz"),
    Packer(program: "xz", arguments: ["--check=sha256", "-T2", "-c"], suffix: "xz"),
    Packer(program: "xz", arguments: ["--check=none", "-c"], suffix: "xz"),
    Packer(program: "bzip2", arguments: ["-1", "-c"], suffix: "bz2"),
    Packer(program: "zstd", arguments: ["-19", "--no-check", "-c"], suffix: "zst"),
    Packer(program: "lz4", arguments: ["-9", "-BD", "-B4", "-c"], suffix: "lz4"),
    Packer(program: "lz4", arguments: ["-l", "-c"], suffix: "lz4"),
  ]

  @Test(arguments: packers + variants) func packedTar(packer: Packer) async throws {
    let tree = try SampleTree()
    let folder = try TemporaryDirectory("packed")
    let tar = folder.file("x.tar")
    try await tree.make(tar, "tar", ["-cf", "ARCHIVE", "."])
    let opened = try OpenedArchive(MemoryByteSource(try await packer.pack(try Data(contentsOf: tar))))
    #expect(opened.reader.formatName == "tar.\(packer.suffix)")
    #expect(Set(opened.fileNames) == Set(tree.files.keys))
    try opened.expect(tree.files)
  }

  @Test(arguments: packers) func packedFile(packer: Packer) async throws {
    let data = TestFiles.pattern(count: 1_500_000)
    let packed = try await packer.pack(data)
    let opened = try OpenedArchive(MemoryByteSource(packed), name: "notes.csv.\(packer.suffix)")
    #expect(opened.entries.map(\.path) == [Array("notes.csv".utf8)])
    #expect(opened.entries.first?.size == nil)
    try opened.expect(["notes.csv": data])
    #expect(try opened.reader.readEntries().first?.size == 1_500_000)
    let unnamed = try OpenedArchive(MemoryByteSource(packed), name: nil)
    #expect(unnamed.fileNames == ["data"])
  }

  @Test(arguments: packers) func nothingPacked(packer: Packer) async throws {
    let packed = try await packer.pack(Data())
    try OpenedArchive(MemoryByteSource(packed), name: nil).expect(["data": Data()])
  }

  @Test(arguments: packers) func everyTruncationIsDamage(packer: Packer) async throws {
    // Random enough to stay some kilobytes, so that there is something to cut.
    let data = TestFiles.pattern(count: 6_000)
    let packed = try await packer.pack(data)
    for count in stride(from: 1, to: packed.count, by: packed.count < 1500 ? 1 : 17) {
      let source = MemoryByteSource(packed.prefix(count))
      #expect(throws: ArchiveError.self, "\(count) of \(packed.count) bytes") {
        let opened = try OpenedArchive(source, name: "x")
        _ = try opened.read(opened.entries[0])
      }
    }
  }

  @Test(arguments: packers) func bytesBehindTheEndAreDamage(packer: Packer) async throws {
    let packed = try await packer.pack(Data("content".utf8))
    for garbage in [Data("garbage that follows".utf8), Data([0xff])] {
      let source = MemoryByteSource(packed + garbage)
      #expect(throws: ArchiveError.self, "\(garbage.count)") {
        try OpenedArchive(source, name: nil).read("data")
      }
    }
  }

  @Test func gzipOfSeveralMembersAndPadding() async throws {
    let first = try await Tool.filter("gzip", ["-c"], Data("first ".utf8))
    let second = try await Tool.filter("gzip", ["-c"], Data("second".utf8))
    let opened = try OpenedArchive(MemoryByteSource(first + second + Data(count: 1000)), name: nil)
    #expect(try opened.read("data") == Data("first second".utf8))
  }

  @Test(arguments: ["bzip2", "xz", "zstd", "lz4"]) func streamsOneBehindTheOther(program: String) async throws {
    let packed =
      try await Tool.filter(program, data: Data("first ".utf8)) + Tool.filter(program, data: Data("second".utf8))
    #expect(try OpenedArchive(MemoryByteSource(packed), name: nil).read("data") == Data("first second".utf8))
  }

  @Test(arguments: ["zstd", "lz4"]) func skippableFramesAreSkipped(program: String) async throws {
    let frame = Data([0x5a, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4])
    let packed = try await Tool.filter(program, data: Data("content".utf8))
    let opened = try OpenedArchive(MemoryByteSource(frame + packed + frame), name: nil)
    #expect(try opened.read("data") == Data("content".utf8))
  }

  @Test func gzipNamesItsFile() async throws {
    let folder = try TemporaryDirectory("named")
    try folder.write("original name.txt", "content")
    try await Command.check(Tool.path("gzip"), ["-N", "original name.txt"], directory: folder.url)
    let file = folder.file("original name.txt.gz")
    let renamed = folder.file("renamed.gz")
    try FileManager.default.moveItem(at: file, to: renamed)
    let opened = try OpenedArchive(renamed)
    #expect(opened.fileNames == ["original name.txt"])
    #expect(opened.entries.first?.modificationDate != nil)
    try opened.expect(["original name.txt": Data("content".utf8)])
  }

  @Test func everyFlippedBitOfGzipIsFound() async throws {
    let data = Data(TestFiles.pattern(count: 400))
    let packed = try await Tool.filter("gzip", ["-n", "-c"], data)
    for index in packed.indices {
      var flipped = packed
      flipped[index] ^= 0x10
      guard let opened = try? OpenedArchive(MemoryByteSource(flipped), name: nil), let entry = opened.entries.first,
        let read = try? opened.read(entry)
      else { continue }
      // The header's time, system and level say nothing about the bytes.
      #expect(TestFiles.firstDifference(read, data) == nil, "byte \(index)")
    }
  }

  @Test func twoFiltersAreUndoneAndNoThird() async throws {
    let tree = try SampleTree()
    let folder = try TemporaryDirectory("twice")
    let tar = folder.file("x.tar")
    try await tree.make(tar, "tar", ["-cf", "ARCHIVE", "."])
    let gzip = try await Tool.filter("gzip", data: try Data(contentsOf: tar))
    let twice = try await Tool.filter("xz", data: gzip)
    let opened = try OpenedArchive(MemoryByteSource(twice))
    #expect(opened.reader.formatName == "tar.gz.xz")
    try opened.expect(tree.files)
    let thrice = try await Tool.filter("zstd", data: twice)
    try OpenedArchive(MemoryByteSource(thrice), name: "x.tar.gz.xz.zst").expect(["x.tar.gz": gzip])
  }

  @Test func damagedTarOfGzipIsNotListed() async throws {
    let tree = try SampleTree()
    let folder = try TemporaryDirectory("flipped")
    let tar = folder.file("x.tar")
    try await tree.make(tar, "tar", ["-cf", "ARCHIVE", "."])
    var packed = try await Tool.filter("gzip", data: try Data(contentsOf: tar))
    packed[packed.count - 6] ^= 1
    #expect(throws: ArchiveError.damaged("gzip: incorrect data check")) { try OpenedArchive(MemoryByteSource(packed)) }
  }
}
