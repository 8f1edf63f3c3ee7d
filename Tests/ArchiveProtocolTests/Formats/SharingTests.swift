import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Several readers of one archive, and those that leave.
struct SharingTests {
  private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: readers block, and wait for one another.
      Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
  }

  private static func packed(_ program: String) async throws -> (data: Data, packed: Data) {
    // Hard to pack, so that reading takes many blocks.
    var generator = SeededGenerator(seed: 5)
    let data = generator.bytes(8_000_000)
    return (data, try await Tool.filter(program, ["-1", "-c"], data))
  }

  @Test(arguments: ["gzip", "xz", "zstd"]) func manyReadersShareOnePass(program: String) async throws {
    let (data, packed) = try await Self.packed(program)
    let counting = CountingByteSource(MemoryByteSource(packed))
    let opened = try SharedArchive(OpenedArchive(counting, name: nil))
    counting.reset()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<12 {
        group.addTask {
          let offset = index * 600_000
          return try await onThread { try opened.archive.read("data", from: Int64(offset)) } == data.dropFirst(offset)
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(counting.count <= packed.count)
  }

  @Test(arguments: ["gzip", "bzip2", "xz", "zstd", "lz4"])
  func cancelledReaderLeavesAndAnotherGoesOn(program: String) async throws {
    let (data, packed) = try await Self.packed(program)
    let counting = CountingByteSource(MemoryByteSource(packed))
    let opened = try SharedArchive(OpenedArchive(counting, name: nil))
    counting.reset()
    let stuck = GatedByteSource(counting, gate: 6_000_000)
    let first = Task { try await onThread { try opened.archive.read("data", source: stuck) } }
    let isStuck = try await onThread { stuck.waitForReader() }
    try #require(isStuck)
    // Waits for the first one, until that is gone.
    let second = Task { try await onThread { try opened.archive.read("data") } }
    let impatient = GatedByteSource(counting, gate: .max)
    let third = Task { try await onThread { try opened.archive.read("data", from: 7_999_000, source: impatient) } }
    impatient.cancel()
    await #expect(throws: ArchiveError.cancelled) { try await third.value }
    stuck.cancel()
    await #expect(throws: ArchiveError.cancelled) { try await first.value }
    #expect(try await TestFiles.firstDifference(second.value, data) == nil)
    // Nothing was read twice: the decoder went on where it was.
    #expect(counting.count <= packed.count)
  }

  /// A member that is packed is decoded for all readers of its parts.
  @Test func cancelledReaderOfAPartLeavesAndAnotherGoesOn() async throws {
    let folder = try TemporaryDirectory("part")
    var generator = SeededGenerator(seed: 6)
    // Deflate makes half of it.
    let content = Data(generator.bytes(3_000_000).map { $0 & 15 })
    try folder.write("m", content)
    let file = folder.file("a.zip")
    try await Command.check(Tool.path("zip"), ["-q", "-1", file.path, "m"], directory: folder.url)
    let source = try LocalByteSource(file)
    let opened = try OpenedArchive(source)
    let (reader, entry) = (opened.reader, try #require(opened.byPath["m"]))
    let spool = try DecodedSpool(configuration: .all, isRatioKnown: true) {
      BodyStream(try reader.open(entry, from: 0, source: $0, password: nil))
    }
    @Sendable func end(_ source: any ByteSource) throws -> Data {
      var end = [UInt8](repeating: 0, count: 1000)
      let count = try end.withUnsafeMutableBytes { try spool.read(into: $0, at: 2_999_000, source: source) }
      return Data(end[..<count])
    }
    let stuck = GatedByteSource(source, gate: 1_000_000)
    let first = Task { try await onThread { try end(stuck) } }
    let isStuck = try await onThread { stuck.waitForReader() }
    try #require(isStuck)
    let second = Task { try await onThread { try end(source) } }
    stuck.cancel()
    await #expect(throws: ArchiveError.cancelled) { try await first.value }
    #expect(try await second.value == content.suffix(1000))
    #expect(!spool.isBroken)
  }

  @Test func cancelledReaderOfASolidArchiveLeaves() async throws {
    let tree = try TemporaryDirectory("solid")
    for index in 0..<8 { try tree.write("m\(index)", TestFiles.pattern(count: 1_000_000, seed: UInt64(index))) }
    let file = tree.file("x.7z")
    try await Command.check(
      Tool.path("7z"), ["a", "-bd", "-ms=on", "-mx=1", file.path] + (0..<8).map { "m\($0)" }, directory: tree.url)
    let counting = CountingByteSource(try LocalByteSource(file))
    let opened = try SharedArchive(OpenedArchive(counting))
    counting.reset()
    let stuck = GatedByteSource(counting, gate: 4_000_000)
    // The header stands at the end: it is read before the gate closes.
    stuck.open()
    #expect(
      try TestFiles.firstDifference(
        opened.archive.read("m0", source: stuck), TestFiles.pattern(count: 1_000_000, seed: 0)) == nil)
    let closed = GatedByteSource(counting, gate: 4_000_000)
    let first = Task { try await onThread { try opened.archive.read("m7", source: closed) } }
    let isStuck = try await onThread { closed.waitForReader() }
    try #require(isStuck)
    closed.cancel()
    await #expect(throws: ArchiveError.cancelled) { try await first.value }
    #expect(
      try TestFiles.firstDifference(opened.archive.read("m7"), TestFiles.pattern(count: 1_000_000, seed: 7)) == nil)
    #expect(counting.count < 9_500_000)
  }

  @Test(arguments: ["gzip", "xz"]) func failedSourceIsNotDamage(program: String) async throws {
    let (data, packed) = try await Self.packed(program)
    let source = MemoryByteSource(packed)
    let opened = try OpenedArchive(source, name: nil)
    #expect(throws: FailingByteSource.Failure.self) {
      try opened.read("data", source: FailingByteSource(source, from: 2_000_000))
    }
    #expect(try TestFiles.firstDifference(opened.read("data"), data) == nil)
  }

  /// In a long run of nothing libarchive itself asks for more, and is lost when there is none.
  @Test func decoderThatASourceHasCostIsMadeAgain() async throws {
    let (data, packed) = try await Self.packed("zstd")
    let skippable = Data([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0x40, 0]) + Data(count: 4 << 20)
    let end = try await Tool.filter("zstd", data: Data("end".utf8))
    let source = MemoryByteSource(packed + skippable + end)
    let opened = try OpenedArchive(source, name: nil)
    #expect(throws: FailingByteSource.Failure.self) {
      try opened.read("data", source: FailingByteSource(source, from: Int64(packed.count) + 2_000_000))
    }
    #expect(try TestFiles.firstDifference(opened.read("data"), data + Data("end".utf8)) == nil)
  }

  @Test func solidPassThatASourceHasCostIsMadeAgain() async throws {
    let tree = try TemporaryDirectory("solid")
    let names = (0..<8).map { "m\($0)" }
    for (index, name) in names.enumerated() {
      try tree.write(name, TestFiles.pattern(count: 1_000_000, seed: UInt64(index)))
    }
    let file = tree.file("x.cab")
    try await Command.check(Tool.path("gcab"), ["-c", file.path] + names, directory: tree.url)
    let source = try LocalByteSource(file)
    for limit in stride(from: 0, to: Int64(8_000_000), by: 490_001) {
      let opened = try OpenedArchive(source)
      #expect(throws: FailingByteSource.Failure.self) {
        try opened.read("m7", source: FailingByteSource(source, from: limit))
      }
      for (index, name) in names.enumerated().reversed() {
        #expect(
          try TestFiles.firstDifference(opened.read(name), TestFiles.pattern(count: 1_000_000, seed: UInt64(index)))
            == nil)
      }
    }
  }
}

/// An archive for several threads.
// Safe to share: it does not change, and a reader may be used from several threads.
final class SharedArchive: @unchecked Sendable {
  let archive: OpenedArchive

  init(_ archive: OpenedArchive) {
    self.archive = archive
  }
}
