import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// What is read of an archive, and how often.
struct TransferTests {
  private let folder: TemporaryDirectory
  private var archive: URL { folder.file("archive.bin") }

  init() throws {
    folder = try TemporaryDirectory("transfer")
  }

  @Test(arguments: [
    ["tar", "-cf", "ARCHIVE"], ["bsdtar", "--format=newc", "-cf", "ARCHIVE"], ["ar", "rcS", "ARCHIVE"],
  ])
  func indexingReadsHeadersOnly(command: [String]) async throws {
    let tree = try TemporaryDirectory("members")
    let names = (0..<30).map { "m\($0)" }
    for name in names { try tree.write(name, TestFiles.pattern(count: 1 << 20)) }
    try await Command.check(
      Tool.path(command[0]), command.dropFirst().map { $0 == "ARCHIVE" ? archive.path : $0 } + names,
      directory: tree.url)
    let counting = CountingByteSource(try LocalByteSource(archive))
    let opened = try OpenedArchive(counting)
    // 96 KiB to find out the format, then a block around each header.
    #expect(counting.count < 97 << 10 + 31 * 8192)
    counting.reset()
    #expect(try opened.read("m20", from: 1 << 19).count == 1 << 19)
    #expect(counting.count == 1 << 19)
  }

  @Test func packedTarIsDecodedOnce() async throws {
    let tree = try SampleTree()
    try await tree.make(archive, "tar", ["-czf", "ARCHIVE", "."])
    let counting = CountingByteSource(try LocalByteSource(archive))
    let length = try #require(counting.length)
    let opened = try OpenedArchive(counting)
    // The first look at the format, gzip's header, and one pass.
    let look = ArchiveSignature.headLength + ArchiveSignature.tailLength + GzipHeader.prefixLength
    #expect(counting.count <= length + Int64(look))
    counting.reset()
    try opened.expect(tree.files)
    #expect(counting.count == 0)
  }

  @Test func packedFileIsDecodedAsFarAsAsked() async throws {
    let data = TestFiles.pattern(count: 30_000_000)
    try data.write(to: archive)
    try await Command.check(Tool.path("gzip"), ["-1", archive.path])
    let counting = CountingByteSource(try LocalByteSource(folder.file("archive.bin.gz")))
    let opened = try OpenedArchive(counting, name: nil)
    let body = try opened.reader.open(opened.entries[0], from: 0, source: counting, password: nil)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try body.read(into: buffer) == 100_000)
    #expect(counting.count < 2_000_000)
  }

  @Test func isoMemberIsReadWithoutTheOthers() async throws {
    let tree = try TemporaryDirectory("members")
    for index in 0..<30 { try tree.write("m\(index)", TestFiles.pattern(count: 1 << 20, seed: UInt64(index))) }
    try await Command.check(
      Tool.path("xorriso"), ["-as", "mkisofs", "-quiet", "-R", "-o", archive.path, "."], directory: tree.url)
    let counting = CountingByteSource(try LocalByteSource(archive))
    let opened = try OpenedArchive(counting)
    #expect(try TestFiles.firstDifference(opened.read("m25"), TestFiles.pattern(count: 1 << 20, seed: 25)) == nil)
    #expect(counting.count < 4 << 20)
  }
}
