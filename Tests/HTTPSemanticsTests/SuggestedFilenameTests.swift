import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingHTTPSemantics

@Suite struct SuggestedFilenameTests {
  @Test(arguments: [
    ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"),
    ("C:\\Windows\\system.ini", "system.ini"), ("..", nil), (".", nil), ("", nil), ("   ", nil), ("/", nil),
    ("...", nil),
    ("a/..", nil), (".bashrc", "_bashrc"), ("a\0b.txt", "ab.txt"), ("\0", nil), ("a\r\nb", "ab"),
    (" spaced name .txt ", "spaced name .txt"), ("name.", "name"), ("..\u{0}/x", "x"), ("\u{0}..", nil),
    ("photo\u{202E}gpj.exe", "photogpj.exe"), ("résumé.pdf", "résumé.pdf"), ("a/\u{301}b", "\u{301}b"),
    ("a;b|c", "a;b|c"), (".\u{7}.", nil), ("..\\..\\x", "x"), ("a\\", "a"), ("dir/", "dir"),
  ])
  func sanitises(name: String, expected: String?) {
    #expect(SuggestedFilename.sanitised(name) == expected)
  }

  @Test func longNamesKeepTheirExtension() throws {
    let name = try #require(SuggestedFilename.sanitised(String(repeating: "é", count: 500) + ".tar"))
    #expect(name.utf8.count <= 255 && name.utf8.count > 250)
    #expect(name.hasSuffix("é.tar"))
    let other = try #require(SuggestedFilename.sanitised("a." + String(repeating: "b", count: 500)))
    #expect(other.utf8.count == 255)
  }

  @Test func neverAPath() {
    var random = SeededGenerator(seed: 3)
    let alphabet: [Unicode.Scalar] = [".", "/", "\\", "\0", " ", "a", "\u{301}", "\u{202E}", "\n", "é"]
    for _ in 0..<5000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        scalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      let name = SuggestedFilename.make(proposed: String(scalars), url: nil, mimeType: nil)
      #expect(!name.isEmpty && name != "." && name != "..")
      #expect(!name.utf8.contains { $0 == 0x2F || $0 == 0x5C || $0 == 0 } && name.utf8.first != 0x2E)
    }
  }

  @Test(
    arguments: [
      ("http://a/dir/x.html", nil, "x.html"), ("http://a/dir/", nil, "dir"),
      ("http://example.org/", nil, "example.org"),
      ("http://example.org", "text/html", "example.org"), ("http://a/?x=y.z", "image/png", "a"),
      ("file:///", nil, "Unknown"), ("x:", "image/png", "Unknown.png"),
      ("http://a/%2e%2e%2fsecret", nil, "secret"), ("http://a/a%00b", nil, "ab"),
    ] as [(String, String?, String)])
  func fallsBackToTheURL(text: String, type: String?, expected: String) throws {
    let url = try #require(URL(string: text))
    #expect(SuggestedFilename.make(proposed: nil, url: url, mimeType: type) == expected)
  }
}
