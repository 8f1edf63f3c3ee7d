import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives of 20,000 members, each of which is compared.
@Suite(.serialized) struct ManyMembersTests {
  private static let count = 20_000
  private static let tree = Result { try makeTree() }

  private static func name(_ index: Int) -> String { "d\(index % 100)/member-\(index)" }
  private static func contents(_ index: Int) -> Data {
    Data("\(index)-".utf8) + TestFiles.pattern(count: index % 700, seed: 3)
  }

  private static func makeTree() throws -> TemporaryDirectory {
    let tree = try TemporaryDirectory("many")
    for folder in 0..<100 {
      try FileManager.default.createDirectory(
        at: tree.url.appendingPathComponent("d\(folder)"), withIntermediateDirectories: true)
    }
    for index in 0..<count { try contents(index).write(to: tree.url.appendingPathComponent(name(index))) }
    return tree
  }

  @Test(arguments: [
    ["tar", "--format=pax", "-cf", "ARCHIVE", "."], ["tar", "-czf", "ARCHIVE", "."],
    ["bsdtar", "--format=newc", "-cf", "ARCHIVE", "."], ["7z", "a", "-bd", "-mx=1", "ARCHIVE", "."],
    ["7z", "a", "-bd", "-mx=1", "-ms=off", "ARCHIVE", "."],
    ["xorriso", "-as", "mkisofs", "-quiet", "-R", "-o", "ARCHIVE", "."],
  ])
  func everyMember(command: [String]) async throws {
    let tree = try Self.tree.get()
    let folder = try TemporaryDirectory("archive")
    let archive = folder.file("archive.7z")
    try await Command.check(
      Tool.path(command[0]), command.dropFirst().map { $0 == "ARCHIVE" ? archive.path : $0 }, directory: tree.url,
      timeout: .seconds(240))
    let opened = try OpenedArchive(archive)
    #expect(opened.fileNames.count == Self.count)
    var wrong = 0
    for entry in opened.entries where entry.kind == .file {
      let index = String(decoding: entry.path, as: UTF8.self).split(separator: "-").last.flatMap { Int($0) }
      if try opened.read(entry) != Self.contents(try #require(index)) { wrong += 1 }
    }
    #expect(wrong == 0)
    // One of the last on its own, without those before it.
    let again = try OpenedArchive(archive)
    #expect(try again.read(Self.name(19_998)) == Self.contents(19_998))
  }
}
