import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

struct ArchiveSignatureTests {
  @Test func contentDecidesAndNoName() async throws {
    let tree = try SampleTree(hasAllNames: false)
    for (tool, arguments, expected) in [
      ("zip", ["-qr", "ARCHIVE", "."], ArchiveSignature.archive(.zip)),
      ("tar", ["-cf", "ARCHIVE", "."], .archive(.tar)),
      ("tar", ["--format=v7", "-cf", "ARCHIVE", "."], .archive(.tar)),
      ("bsdtar", ["--format=bin", "-cf", "ARCHIVE", "."], .archive(.cpio)),
      ("bsdtar", ["--format=odc", "-cf", "ARCHIVE", "."], .archive(.cpio)),
      ("7z", ["a", "-bd", "ARCHIVE", "."], .archive(.sevenZip)),
    ] {
      let folder = try TemporaryDirectory("signature")
      let file = folder.file("name.7z")
      try await tree.make(file, tool, arguments)
      let head = Array(try Data(contentsOf: file).prefix(ArchiveSignature.headLength))
      #expect(ArchiveSignature.detect(head: head) == expected, "\(tool) \(arguments)")
    }
  }

  @Test func zipBehindOtherDataIsFoundByItsEnd() async throws {
    let tree = try SampleTree(hasAllNames: false)
    let folder = try TemporaryDirectory("signature")
    try await tree.make(folder.file("x.zip"), "zip", ["-qr", folder.file("x.zip").path, "."])
    let zip = try Data(contentsOf: folder.file("x.zip"))
    let bytes = Data("#!/bin/sh\nexit 0\n".utf8) + zip
    #expect(try ArchiveOpening.reader(for: MemoryByteSource(bytes), archiveName: nil, configuration: .all) is ZipReader)
    let cut = MemoryByteSource(bytes.dropLast(1))
    #expect(throws: ArchiveError.unknownFormat(nil)) {
      try ArchiveOpening.reader(for: cut, archiveName: nil, configuration: .all)
    }
  }

  @Test func whatItLooksLikeIsSaid() {
    for (head, description) in [
      (Data(), "an empty file"), (Data("\n<!DOCTYPE html><html>".utf8), "an HTML page"),
      (Data("LZIP".utf8), "an lzip file"),
    ] {
      #expect(throws: ArchiveError.unknownFormat(description)) {
        try ArchiveOpening.reader(for: MemoryByteSource(head), archiveName: nil, configuration: .all)
      }
    }
    #expect(throws: ArchiveError.unknownFormat(nil)) {
      try ArchiveOpening.reader(for: MemoryByteSource(Data("just text".utf8)), archiveName: nil, configuration: .all)
    }
  }

  /// Filters and formats of libarchive that run programs or read files that the archive names.
  @Test func dangerousFormatsAreUnknown() {
    for head in [
      "#mtree\na type=file content=/etc/passwd\n", "LRZI\0\u{6}", "\u{89}LZO", "GRZipII\0\u{2}\u{4}:)", "begin 644 x\n",
    ] {
      let source = MemoryByteSource(Array(head.utf8) + Array(repeating: 0, count: 600))
      #expect(throws: ArchiveError.self) {
        try ArchiveOpening.reader(for: source, archiveName: nil, configuration: .all)
      }
    }
  }

  @Test func weakSignaturesAreNotTakenForMore() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let head = Array(generator.bytes(640))
      if case .unknown = ArchiveSignature.detect(head: head) { continue }
      Issue.record("random bytes are no archive: \(head.prefix(32))")
    }
    #expect(ArchiveSignature.detect(head: Array(repeating: 0, count: 40_000)) == .unknown(nil))
  }

  @Test(arguments: [
    ("a/b", "a/b"), ("./a", "a"), ("/etc/passwd", "etc/passwd"), ("../../x", "x"), ("a/../../b", "b"), ("a//b/", "a/b"),
    (".", ""), ("...", "..."), ("a/./b", "a/b"),
  ])
  func canonicalPaths(name: String, expected: String) {
    #expect(ArchivePath.canonical(Array(name.utf8)) == Array(expected.utf8))
  }
}
