import Testing

@testable import ArchiveProtocol

struct ArchiveIndexTests {
  private static func file(_ path: String, _ position: Int64 = 0) -> ArchiveEntry {
    ArchiveEntry(path: Array(path.utf8), kind: .file, location: .plain(position: position))
  }

  private static func link(_ path: String, _ target: String) -> ArchiveEntry {
    ArchiveEntry(path: Array(path.utf8), kind: .symbolicLink(target: Array(target.utf8)), location: .none)
  }

  private static func names(_ entries: [ArchiveEntry]) -> [String] {
    entries.map { String(decoding: $0.path, as: UTF8.self) + ($0.kind == .directory ? "/" : "") }
  }

  @Test func theLastOfEqualNamesCounts() {
    let index = ArchiveIndex([Self.file("b", 1), Self.file("a", 2), Self.file("b", 3), Self.file("a", 4)])
    #expect(index.entries.map(\.location) == [.plain(position: 4), .plain(position: 3)])
    #expect(index[Array("b".utf8)]?.location == .plain(position: 3))
    #expect(index[Array("c".utf8)] == nil)
  }

  @Test func childrenAreThoseRightBelow() {
    let index = ArchiveIndex([
      Self.file("a/b/c"), Self.file("a/b/d"), Self.file("a.txt"), Self.file("a-b"), Self.file("z"),
      ArchiveEntry(path: Array("e".utf8), kind: .directory, location: .none), Self.file("e/f"),
    ])
    #expect(Self.names(index.children(of: [])) == ["a-b", "a.txt", "a/", "e/", "z"])
    #expect(Self.names(index.children(of: Array("a".utf8))) == ["a/b/"])
    #expect(Self.names(index.children(of: Array("a/b".utf8))) == ["a/b/c", "a/b/d"])
    #expect(Self.names(index.children(of: Array("e".utf8))) == ["e/f"])
    #expect(index.children(of: Array("none".utf8)).isEmpty)
  }

  @Test func namesLeadToMembersAndDirectories() {
    let index = ArchiveIndex([Self.file("a/b"), Self.file("c")])
    #expect(index.resolve(Array("a/b".utf8)) == .member(Self.file("a/b")))
    #expect(index.resolve(Array("a".utf8)) == .directory(Array("a".utf8)))
    #expect(index.resolve([]) == .directory([]))
    #expect(index.resolve(Array("a/x".utf8)) == .missing)
    #expect(index.resolve(Array("c/x".utf8)) == .missing)
    #expect(index.resolve(Array("../c".utf8)) == .missing)
  }

  @Test func linksAreFollowedInsideTheArchive() {
    let index = ArchiveIndex([
      Self.file("d/e/file"), Self.link("d/up", "../top"), Self.file("top"), Self.link("dir", "d/e"),
      Self.link("chain", "d/up"), Self.link("top/x", "y"),
      ArchiveEntry(path: Array("hard".utf8), kind: .hardLink(to: Array("d/e/file".utf8)), location: .none),
    ])
    #expect(index.resolve(Array("d/up".utf8)) == .member(Self.file("top")))
    #expect(index.resolve(Array("dir/file".utf8)) == .member(Self.file("d/e/file")))
    #expect(index.resolve(Array("dir".utf8)) == .directory(Array("d/e".utf8)))
    #expect(index.resolve(Array("chain".utf8)) == .member(Self.file("top")))
    #expect(index.resolve(Array("hard".utf8)) == .member(Self.file("d/e/file")))
  }

  @Test func linksThatLeaveTheArchiveAreTold() {
    let index = ArchiveIndex([
      Self.link("absolute", "/etc/passwd"), Self.link("d/up", "../../x"), Self.link("around", "a/../../b"),
    ])
    #expect(
      index.resolve(Array("absolute".utf8))
        == .leavesArchive(link: Array("absolute".utf8), target: Array("/etc/passwd".utf8)))
    #expect(
      index.resolve(Array("d/up".utf8)) == .leavesArchive(link: Array("d/up".utf8), target: Array("../../x".utf8)))
    #expect(
      index.resolve(Array("around".utf8)) == .leavesArchive(link: Array("around".utf8), target: Array("a/../../b".utf8))
    )
  }

  @Test func loopsOfLinksEnd() {
    let hard = ArchiveEntry(path: Array("h".utf8), kind: .hardLink(to: Array("i".utf8)), location: .none)
    let back = ArchiveEntry(path: Array("i".utf8), kind: .hardLink(to: Array("h".utf8)), location: .none)
    let index = ArchiveIndex([Self.link("a", "b"), Self.link("b", "a"), Self.link("self", "self/x"), hard, back])
    #expect(index.resolve(Array("a".utf8)) == .tooManyLinks)
    #expect(index.resolve(Array("self".utf8)) == .tooManyLinks)
    #expect(index.resolve(Array("h".utf8)) == .tooManyLinks)
  }
}
