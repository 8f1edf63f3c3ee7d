import Foundation
import Testing
import URLLoadingBase

@testable import ArchiveProtocol

/// Archive URLs, member names and depths, all with all.
struct ArchiveURLPropertyTests {
  static let archives = [
    "file:///tmp/a.zip", "file:///tmp/a%20b/100%25.zip", "file:///tmp/%C3%A4.tar.gz", "file:///tmp/%FF%FE.zip",
    "file:///tmp/odd!/x.zip", "https://example.org/data.zip", "https://user:pass@example.org:8443/a/b/../c.zip",
    "https://example.org/x.zip?token=a%2Fb&sig=%3D#part", "https://[2001:db8::1]:80/x.zip",
    "http://xn--n-nga1b.org/x.zip",
    "https://example.org/a;b=c/x.zip?a=!/b", "ftp://host/%2Fabs/x.tar", "sftp://me@host/~/x.7z", "custom-1+x.y:opaque",
    "data:application/zip;base64,UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", "HTTPS://EXAMPLE.org/X.ZIP",
    "https://h/a//b///c.zip",
    "https://h/x.zip:", "https://h/" + String(repeating: "long%2F", count: 200) + ".zip",
  ]

  static let names: [[UInt8]] =
    [
      "a", "a/b/c.txt", "", "dir/", "sp ace", "ünïcödé/日本語", "e\u{301}", "100%", "%41", "%2F", "%25%", "a!/b", "!/",
      "!",
      "what?.txt", "no#fragment", "a;b=c", "../up", "..", ".", "a/./b/../c", "../../../etc/passwd", "/abs", "//x",
      "a//b///",
      "...", ".hidden", "a\\b", "C:\\x", "http://h/x", "a:b", "@:&=+$,[]{}|^`\"<>'()*", "tab\tline\nreturn\r",
      "nul\0nul",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xFE], [0xC3], [0x80, 0x2F, 0x2E, 0x2E, 0x2F, 0x80], Array(0...255),
      [UInt8](repeating: 0x61, count: 10_000),
    ]

  static let cases = archives.flatMap { archive in (1...3).map { (archive, $0) } }

  @Test(arguments: cases) func roundTripsAndSurvives(archive: String, depth: Int) throws {
    for name in Self.names {
      var container = try #require(URL(string: archive))
      for level in 1..<depth {
        // The names of the archives on the way are odd, too.
        let inner = Self.names[(name.count + level) % Self.names.count]
        container = try #require(URL(archive: container, memberBytes: inner))
      }
      let url = try #require(URL(archive: container, memberBytes: name), "\(archive) \(name)")
      for spelling in [url, url.standardized, try #require(URL(string: url.absoluteString))] {
        let member = try #require(spelling.archiveMember, "\(url)")
        #expect(member.pathBytes == name)
        #expect(member.archive.absoluteString == container.absoluteString)
      }
      #expect(url.archiveNestingDepth == depth)
      #expect(try URL(archiveString: url.absoluteString).absoluteString == url.absoluteString)
      #expect(url.absoluteString.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || ":/%".utf8.contains($0) })
    }
  }

  @Test func longURLs() throws {
    let archive = try #require(URL(string: "https://h/" + String(repeating: "a/%20", count: 20_000)))
    let url = try #require(URL(archive: archive, member: String(repeating: "ü/", count: 20_000)))
    #expect(url.standardized.archiveMember?.archive == archive)
    #expect(url.archiveMember?.path == String(repeating: "ü/", count: 20_000))
  }

  @Test(arguments: cases) func noReferenceLeavesTheArchive(archive: String, depth: Int) throws {
    let references = [
      "../../../../../../etc/passwd", "/../../x", "..", "../..", "./../../..//x", "/", "?q", "#f", "x;y=../../z",
      "%2E%2E/x",
      "..%2F..%2Fx", "/..//../x", "a/../../../../b", "...", "",
    ]
    for name in Self.names where !name.isEmpty {
      var container = try #require(URL(string: archive))
      for _ in 1..<depth { container = try #require(URL(archive: container, memberBytes: name)) }
      let base = try #require(URL(archive: container, memberBytes: name))
      for reference in references {
        // Foundation takes some references, such as the empty one, for no URL; those lead nowhere.
        guard let resolved = URL(string: reference, relativeTo: base)?.absoluteURL else { continue }
        let member = try #require(resolved.archiveMember, "\(resolved)")
        #expect(member.archive.absoluteString == container.absoluteString, "\(reference)")
      }
    }
  }

  /// RFC 3986, section 5.4, against a member.
  @Test(arguments: [
    ("g", "b/c/g"), ("./g", "b/c/g"), ("g/", "b/c/g/"), ("/g", "g"), ("?y", "b/c/d;p"), ("g?y", "b/c/g"),
    ("#s", "b/c/d;p"),
    ("g#s", "b/c/g"), ("g?y#s", "b/c/g"), (";x", "b/c/;x"), ("g;x", "b/c/g;x"), ("g;x?y#s", "b/c/g;x"), (".", "b/c/"),
    ("./", "b/c/"), ("..", "b/"), ("../", "b/"), ("../g", "b/g"), ("../..", ""), ("../../", ""), ("../../g", "g"),
    ("../../../g", "g"), ("../../../../g", "g"), ("/./g", "g"), ("/../g", "g"), ("g.", "b/c/g."), (".g", "b/c/.g"),
    ("g..", "b/c/g.."), ("..g", "b/c/..g"), ("./../g", "b/g"), ("./g/.", "b/c/g/"), ("g/./h", "b/c/g/h"),
    ("g/../h", "b/c/h"), ("g;x=1/./y", "b/c/g;x=1/y"), ("g;x=1/../y", "b/c/y"), ("g?y/./x", "b/c/g"),
    ("g#s/../x", "b/c/g"),
  ])
  func referencesAmongMembers(reference: String, expected: String) throws {
    let archive = try #require(URL(string: "https://example.org/x.zip"))
    for depth in 1...3 {
      var container = archive
      for _ in 1..<depth { container = try #require(URL(archive: container, member: "in/ner!/ü.zip")) }
      let base = try #require(URL(archive: container, member: "b/c/d;p"))
      let withQuery = try #require(URL(string: base.absoluteString + "?q"))
      let member = try #require(URL(string: reference, relativeTo: withQuery)?.archiveMember)
      #expect(member.path == expected)
      #expect(member.archive == container)
    }
  }
}
