import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives that speak of sizes that nothing has.
struct MadeUpSizeTests {
  /// Fails when it takes long: an error after hours is no error.
  private func expectDamage(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let packed = try await Tool.filter("gzip", data: Data(bytes))
    for source in [MemoryByteSource(bytes), MemoryByteSource(packed)] {
      let start = ContinuousClock.now
      #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) {
        let opened = try OpenedArchive(source)
        for entry in opened.entries { try opened.read(entry) }
      }
      #expect(ContinuousClock.now - start < .seconds(20), sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [0, 8, 24, 32]) func tar(shift: Int) async throws {
    let folder = try TemporaryDirectory("size")
    try folder.write("x", "content")
    try await Command.check(Tool.path("tar"), ["-cf", "x.tar", "x", "x"], directory: folder.url)
    var bytes = Array(try Data(contentsOf: folder.file("x.tar")))
    // A size in base 256, as GNU tar writes large ones.
    bytes.replaceSubrange(124..<136, with: [0x80, 0, 0, 0])
    bytes.insert(contentsOf: withUnsafeBytes(of: (UInt64(1 << 30) << UInt64(shift)).bigEndian, Array.init), at: 128)
    let sum = bytes[..<512].enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    let octal = String(sum, radix: 8)
    bytes.replaceSubrange(
      148..<156, with: Array((String(repeating: "0", count: 6 - octal.count) + octal).utf8) + [0, 0x20])
    #expect(ArchiveSignature.detect(head: bytes) == .archive(.tar))
    try await expectDamage(bytes)
  }

  @Test func warc() async throws {
    let record = """
      WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: file://x\r\nWARC-Date: 2026-01-01T00:00:00Z\r
      Content-Length: 999999999999999999\r\n\r\ncontent\r\n\r\n
      """
    let start = ContinuousClock.now
    let source = MemoryByteSource(Array(record.utf8) + Array(record.utf8))
    #expect(throws: ArchiveError.self) { try OpenedArchive(source).read("x") }
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
