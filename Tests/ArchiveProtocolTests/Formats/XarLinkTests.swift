import Foundation
import Testing
import URLLoadingCZlib
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Tables of contents of xar in which links go round in a ring.
struct XarLinkTests {
  /// An archive of files without bytes.
  private static func xar(_ table: some Collection<UInt8>, length: Int? = nil) -> [UInt8] {
    let table = Array(table)
    var packed = [UInt8](repeating: 0, count: Int(compressBound(uLong(table.count))))
    var count = uLongf(packed.count)
    #expect(compress(&packed, &count, table, uLong(table.count)) == Z_OK)
    var bytes = Array("xar!".utf8) + [0, 28, 0, 1]
    for number in [UInt64(count), UInt64(length ?? table.count)] {
      bytes += withUnsafeBytes(of: number.bigEndian, Array.init)
    }
    return bytes + [0, 0, 0, 0] + packed.prefix(Int(count))
  }

  private static func file(_ number: Int, _ types: String, inner: String = "") -> String {
    "<file id=\"\(number)\"><name>f\(number)</name>\(types)\(inner)</file>"
  }

  private static func document(_ files: String, declaration: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    -> String
  {
    "\(declaration)\n<xar><toc>\(files)</toc></xar>"
  }

  /// Opens on a thread of its own, because a ring has no end.
  private static func open(_ bytes: [UInt8]) async throws -> Result<[String], ArchiveError> {
    let result = Watched<Result<[String], ArchiveError>?>(nil)
    Thread.detachNewThread {
      do {
        let names = try OpenedArchive(MemoryByteSource(bytes)).entries.map { String(decoding: $0.path, as: UTF8.self) }
        result.update { $0 = .success(names.sorted()) }
      } catch {
        result.update { $0 = .failure(error as? ArchiveError ?? .cancelled) }
      }
    }
    #expect(try await eventually(timeout: .seconds(20)) { result.value != nil }, "it does not end")
    return try #require(result.value)
  }

  private static let original = "<type link=\"original\">hardlink</type>"

  @Test(arguments: [
    file(1, original + original), file(1, original + "<type link=\"1\">hardlink</type>"),
    file(1, original) + file(2, "<type link=\"1\">hardlink</type><type link='1'>hardlink</type>"),
    // Two files, each after the other.
    file(1, original, inner: file(2, original) + original),
    file(1, "<type xmlns:a=\"a\" xmlns:b=\"b\" a:link=\"original\" b:link=\"original\">hardlink</type>"),
    file(1, "<x:type xmlns:x=\"x\" link=\"original\"/><!-- > --><type link = 'original' />"),
  ])
  func severalLinksOfAFileAreDamage(files: String) async throws {
    guard case .failure(.damaged(let what)) = try await Self.open(Self.xar(Self.document(files).utf8)) else {
      Issue.record("it was read")
      return
    }
    #expect(what.contains("several links"), "\(what)")
  }

  @Test func oneLinkOfAFileIsNone() async throws {
    let files =
      Self.file(1, Self.original) + Self.file(2, "<type link=\"1\">hardlink</type>")
      + Self.file(
        3, "<type>directory</type>",
        inner: Self.file(4, "<type link=\"1\">hardlink</type>") + "<![CDATA[<type link=''>]]>")
      + "<!-- <type link=\"1\"> --><?x <type link='1'> ?>" + Self.file(5, "<type link='5'>hardlink</type>")
    let names = try await Self.open(Self.xar(Self.document(files).utf8)).get()
    // libarchive leaves out a directory of which nothing is said.
    #expect(names == ["f1", "f2", "f3/f4", "f5"])
  }

  /// Documents that libxml2 would read otherwise.
  @Test func documentsThatCannotBeJudged() async throws {
    let ring = Self.file(1, Self.original + Self.original)
    let utf16 = Self.document(ring, declaration: "<?xml version=\"1.0\" encoding=\"UTF-16\"?>").utf16.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    for table in [
      [0xFF, 0xFE] + utf16, utf16,
      Array(Self.document(ring, declaration: "<?xml version='1.0' encoding='UTF-7'?>").utf8),
      Array(
        Self.document(ring, declaration: "<!DOCTYPE xar [<!ATTLIST type link CDATA \"original\">]>").utf8),
    ] {
      guard case .failure(.unsupported) = try await Self.open(Self.xar(table)) else {
        Issue.record("\(String(decoding: table.prefix(80), as: UTF8.self))")
        continue
      }
    }
    for text in ["", "<xar", "<xar><toc>", "<a b>", "<a b=c>", "</a>", "<a b='", "<!--", "text", "<>", "\u{4c}\u{6f}"] {
      guard case .failure(.damaged) = try await Self.open(Self.xar(text.utf8)) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func lengthsThatLie() async throws {
    let table = Self.document(Self.file(1, "")).utf8
    for length in [0, table.count - 1, table.count + 1, 10_000_000, .max] {
      guard case .failure(let error) = try await Self.open(Self.xar(table, length: length)) else {
        Issue.record("\(length)")
        continue
      }
      let found: ArchiveError? = error
      #expect(found.isDamaged("table of contents") || found.isLimit("maximumIndexBytes"), "\(error)")
    }
    let whole = Self.xar(table)
    for count in [20, 28, 29, whole.count - 1] {
      guard case .failure(.damaged) = try await Self.open(Array(whole.prefix(count))) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
  }

  /// What was checked is what libarchive reads, though the server sends something else the second time.
  @Test func theTableIsReadOnce() throws {
    let sound = Self.xar(Self.document(Self.file(1, "")).utf8)
    let source = MemoryByteSource(sound)
    let reader = try ArchiveOpening.reader(for: source, archiveName: nil, configuration: .all)
    let entries = try reader.readEntries()
    #expect(entries.count == 1)
    let reads = source.reads.count
    _ = try? reader.open(entries[0], from: 0, source: source, password: nil)
    #expect(source.reads[reads...].allSatisfy { $0.lowerBound >= sound.count })
  }
}
