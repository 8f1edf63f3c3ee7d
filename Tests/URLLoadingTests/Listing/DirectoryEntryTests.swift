import Foundation
import Testing
import URLLoading

@Suite struct DirectoryEntryTests {
  private func url(_ name: String, in directory: String, kind: URLDirectoryEntry.Kind = .file) -> String? {
    guard let directory = URL(string: directory) else { return nil }
    return URLDirectoryEntry(name: name, in: directory, kind: kind)?.url.absoluteString
  }

  @Test(arguments: ["", ".", "..", "/", "a/b", "../x", "/etc/passwd", "a\0b"]) func namesThatLeadElsewhereMakeNone(
    name: String
  ) {
    #expect(url(name, in: "file:///d/") == nil)
    #expect(URLDirectoryEntry(nameBytes: Array(name.utf8), in: URL(fileURLWithPath: "/d"), kind: .file) == nil)
  }

  @Test(
    arguments: [
      ("a.txt", "ftp://h/d/", "ftp://h/d/a.txt"), ("a.txt", "ftp://h/d", "ftp://h/d/a.txt"),
      ("a", "ftp://h", "ftp://h/a"), ("a b", "file:///d/", "file:///d/a%20b"),
      ("ü", "file:///d/", "file:///d/%C3%BC"), ("%2e%2e", "file:///d/", "file:///d/%252e%252e"),
      ("...", "file:///d/", "file:///d/..."), ("a\\..\\b", "file:///d/", "file:///d/a%5C..%5Cb"),
      ("a?b#c", "file:///d/", "file:///d/a%3Fb%23c"), ("x;type=d", "ftp://h/", "ftp://h/x%3Btype=d"),
      ("~", "sftp://h/", "sftp://h/%7E"), ("~a", "sftp://h/", "sftp://h/~a"),
      ("a:b@c", "ftp://u:p@h:21/", "ftp://u:p@h:21/a:b@c"), ("a", "x://h/d?q=1/2#f/g", "x://h/d/a"),
      ("\n\u{1B}[2J", "file:///d/", "file:///d/%0A%1B%5B2J"),
      ("m", "archive://https%3A%2F%2Fe.org%2Fa.zip", "archive://https%3A%2F%2Fe.org%2Fa.zip/m"),
    ])
  func urlIsOneLevelBelow(name: String, directory: String, expected: String) throws {
    #expect(url(name, in: directory) == expected)
    #expect(url(name, in: directory, kind: .directory) == expected + "/")
    #expect(try #require(URL(string: expected)).absoluteString == expected)
  }

  @Test func namesNeedNotBeUTF8() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0xFE, 0x62]
    let entry = try #require(
      URLDirectoryEntry(nameBytes: bytes, in: URL(fileURLWithPath: "/d", isDirectory: true), kind: .file))
    #expect(entry.name == "a\u{FFFD}\u{FFFD}b")
    #expect(entry.nameBytes == bytes)
    #expect(entry.url.absoluteString == "file:///d/a%FF%FEb")
  }

  @Test func aNegativeSizeIsUnknown() {
    #expect(URLDirectoryEntry(name: "a", in: URL(fileURLWithPath: "/"), kind: .file, size: -1)?.size == nil)
  }
}
