import Foundation
import Testing

@testable import ArchiveProtocol

struct ArchiveSpellingTests {
  /// What is typed, the archive, and the member; the innermost archive where they are nested.
  static let spellings: [(String, String, String)] = [
    ("archive:https://h/x.zip!/a/b", "https://h/x.zip", "a/b"),
    ("jar:file:/x.jar!/a", "file:/x.jar", "a"),
    ("zip:file:///x.zip!/", "file:///x.zip", ""),
    ("ARCHIVE:https://h/x.zip!/a", "https://h/x.zip", "a"),
    ("Jar:https://h/x.zip!/a%20b", "https://h/x.zip", "a b"),
    ("archive:https://h/x.zip!/a b", "https://h/x.zip", "a b"),
    ("archive:https://h/x%20y.zip!/a b%20c", "https://h/x%20y.zip", "a b c"),
    ("archive:https://h/x y.zip!/ä", "https://h/x%20y.zip", "ä"),
    ("archive:https://h/x.zip?t=a/b!/c", "https://h/x.zip?t=a/b", "c"),
    ("archive:https://h/x.zip#f!/c", "https://h/x.zip#f", "c"),
    ("archive:https://h/x.zip!/a?b=c#d", "https://h/x.zip", "a"),
    ("archive:https://h/x.zip!/a%3Fb%23", "https://h/x.zip", "a?b#"),
    ("archive:https://h/a!/b!/c", "https://h/a!/b", "c"),
    ("archive:https://h/x.zip!/100%", "https://h/x.zip", "100%"),
    ("archive:https://h/100%.zip!/a", "https://h/100%25.zip", "a"),
    ("archive:https://h/[x].zip!/[a]", "https://h/%5Bx%5D.zip", "[a]"),
    ("archive:https://[::1]:80/x.zip!/a", "https://[::1]:80/x.zip", "a"),
    ("archive:https://u:p@h/x.zip!/a", "https://u:p@h/x.zip", "a"),
    ("archive:https://h/x.zip!/../../a", "https://h/x.zip", "a"),
    ("archive:https://h/x.zip!/a/../%2E%2E/b", "https://h/x.zip", "../b"),
    ("archive:data:application/zip;base64,UEs=!/a", "data:application/zip;base64,UEs=", "a"),
    ("archive://https%3A%2F%2Fh%2Fx.zip", "https://h/x.zip", ""),
    ("archive://https%3A%2F%2Fh%2Fx.zip/", "https://h/x.zip", ""),
    ("ARCHIVE://https%3a%2f%2fh%2Fx%2ezip/a(b)%41", "https://h/x.zip", "a(b)A"),
    ("archive://https%3A%2F%2Fh%2Fx.zip/./a/../b", "https://h/x.zip", "b"),
    ("archive://https%3A%2F%2Fh%2Fx.zip/foo!/bar", "https://h/x.zip", "foo!/bar"),
  ]

  @Test(arguments: spellings) func becomesCanonical(spelling: String, archive: String, member: String) throws {
    let url = try URL(archiveString: spelling)
    #expect(url.absoluteString.hasPrefix("archive://"))
    #expect(url.archiveMember?.archive.absoluteString == archive)
    #expect(url.archiveMember?.path == member)
    #expect(url.archiveNestingDepth == 1)
    #expect(try URL(archiveString: url.absoluteString) == url)
  }

  /// Foundation encodes such text on its own when a request is made of it, and differently when it is standardized.
  @Test(arguments: spellings) func survivesFoundation(spelling: String, archive: String, member: String) throws {
    let url = try #require(URL(string: spelling))
    #expect(try URL(archiveString: url.absoluteString) == URL(archiveString: spelling))
    // It takes dot segments away before anybody can know what they belong to.
    guard !spelling.contains("/../") else { return }
    #expect(try URL(archiveString: url.standardized.absoluteString) == URL(archiveString: spelling))
  }

  @Test func nests() throws {
    let expected = try #require(
      URL(string: "file:///a%20b.tar").flatMap { URL(archive: $0, member: "in/inner.zip") }
        .flatMap { URL(archive: $0, member: "x y") })
    for spelling in [
      "archive:archive:file:///a%20b.tar!/in/inner.zip!/x%20y", "jar:ZIP:file:///a b.tar!/in/inner.zip!/x y",
      "archive:archive://file%3A%2F%2F%2Fa%2520b.tar/in/inner.zip!/x%20y",
      "archive://jar%3Afile%3A%2F%2F%2Fa%2520b.tar%21%2Fin%2Finner.zip/x%20y",
    ] {
      #expect(try URL(archiveString: spelling) == expected)
      let url = try #require(URL(string: spelling))
      #expect(try URL(archiveString: url.absoluteString) == expected)
      #expect(try URL(archiveString: url.standardized.absoluteString) == expected)
    }
    #expect(expected.archiveNestingDepth == 2)
    #expect(expected.archiveMember?.archive.archiveMember?.path == "in/inner.zip")
    let odd = try #require(URL(string: "jar:file:///a%20b.tar!/in/inner.zip"))
    #expect(URL(archive: odd, member: "x y") == expected)
  }

  @Test func keepsQueryAndFragment() throws {
    let url = try URL(archiveString: "archive:https://h/x.zip!/a?b c#d")
    #expect(url.query(percentEncoded: false) == "b c")
    #expect(url.fragment() == "d")
  }

  @Test(arguments: [
    ("https://h/x.zip!/a", ArchiveURLError.otherScheme("https://h/x.zip!/a")),
    ("", .otherScheme("")), (":", .otherScheme(":")), ("x.zip!/a", .otherScheme("x.zip!/a")),
    ("archive:https://h/x.zip", .missingSeparator("archive:https://h/x.zip")),
    ("archive:", .missingSeparator("archive:")),
    ("archive:!/a", .missingArchive("archive:!/a")),
    ("archive://", .missingArchive("archive://")),
    ("archive:///a", .missingArchive("archive:///a")),
    ("archive:/tmp/x.zip!/a", .archiveWithoutScheme("archive:/tmp/x.zip!/a", archive: "/tmp/x.zip")),
    ("jar:x.jar!/a", .archiveWithoutScheme("jar:x.jar!/a", archive: "x.jar")),
    ("jar://h/x.jar!/a", .archiveWithoutScheme("jar://h/x.jar!/a", archive: "//h/x.jar")),
    ("archive:file:!/a", .invalidArchive("archive:file:!/a", archive: "file:")),
    ("archive:https://h:port/x!/a", .invalidArchive("archive:https://h:port/x!/a", archive: "https://h:port/x")),
    ("archive://example.org/x.zip/a", .hostNotEncoded("archive://example.org/x.zip/a")),
    ("archive://https%3A%2F%2Fh:80/a", .hostNotEncoded("archive://https%3A%2F%2Fh:80/a")),
    ("archive://me@https%3A%2F%2Fh/a", .hostNotEncoded("archive://me@https%3A%2F%2Fh/a")),
    ("archive:archive:file:///a.tar!/x", .missingSeparator("archive:file:///a.tar")),
  ])
  func saysWhatIsWrong(spelling: String, error: ArchiveURLError) {
    #expect(throws: error) { try URL(archiveString: spelling) }
    #expect(error.localizedDescription == error.description)
    #expect(URL(string: spelling)?.archiveMember == nil)
    #expect((URL(string: spelling)?.archiveNestingDepth ?? 0) == 0)
  }

  @Test func boundsTheDepth() {
    let deep = String(repeating: "archive:", count: 100_000) + "file:///x" + String(repeating: "!/a", count: 100_000)
    #expect(throws: ArchiveURLError.nestedTooDeep(deep, limit: 64)) { try URL(archiveString: deep) }
    let most = String(repeating: "zip:", count: 64) + "file:///x" + String(repeating: "!/a", count: 64)
    #expect(throws: Never.self) { try #expect(URL(archiveString: most).archiveNestingDepth == 64) }
  }

  @Test func needsASchemeOfTheArchive() throws {
    #expect(URL(archive: try #require(URL(string: "x.zip")), member: "a") == nil)
    #expect(URL(archive: try #require(URL(string: "archive://nothing/x")), member: "a") == nil)
    let relative = try #require(URL(string: "x.zip", relativeTo: URL(string: "https://h/d/")))
    #expect(URL(archive: relative, member: "a")?.archiveMember?.archive.absoluteString == "https://h/d/x.zip")
  }

  @Test func tellsDirectories() throws {
    let archive = try #require(URL(string: "file:///x.zip"))
    #expect(URL(archive: archive, member: "")?.archiveMember?.isDirectory == true)
    #expect(URL(archive: archive, member: "a/")?.archiveMember?.isDirectory == true)
    #expect(URL(archive: archive, member: "a")?.archiveMember?.isDirectory == false)
    #expect(URL(archive: archive, memberBytes: [0xFF])?.archiveMember?.path == nil)
  }
}
