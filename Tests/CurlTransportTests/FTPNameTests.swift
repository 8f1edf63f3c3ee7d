import Testing

@testable import URLLoadingCurlTransport

/// What the paths of FTP URLs name.
@Suite struct FTPNameTests {
  private func parts(_ path: String) throws -> [String] {
    try FTPName(path: path).parts.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("/a", ["a"]), ("/a/b%20c/d", ["a", "b c", "d"]), ("/%2Fa/b", ["/", "a", "b"]), ("/%2fa", ["/", "a"]),
    ("//a", ["/", "a"]), ("/a//b", ["a", "b"]), ("/a%2Fb", ["a", "b"]), ("/a/b/", ["a", "b"]), ("/", []), ("", []),
    ("/%2F", ["/"]), ("/a%3Fb%23c%25d", ["a?b#c%d"]), ("/a;b", ["a;b"]), ("/a%3Btype=i", ["a;type=i"]),
    ("/%C3%BC", ["ü"]), ("/-rf", ["-rf"]), ("/%20a%20", [" a "]), ("/..a", ["..a"]), ("/../a", ["..", "a"]),
    ("/100%", ["100%"]),
  ])
  func names(path: String, expected: [String]) throws {
    #expect(try parts(path) == expected)
  }

  @Test(arguments: [
    "/a%0D%0ADELE%20b", "/a%0A", "/%0D", "/a%00", "/a/%00/b", "/a%1F", "/a%FFb", "/a;type=i", "/a;TYPE=i", "/a/..",
    "/a/.", "/.", "/..", "/a/../", "/a/%2E%2E", "/a/%2e/",
  ])
  func whatNamesNothingExactly(path: String) {
    #expect(throws: FTPName.Defect.self) { try FTPName(path: path) }
  }

  @Test func directories() throws {
    #expect(try FTPName(path: "/a/").namesDirectory && !FTPName(path: "/a").namesDirectory)
    #expect(try FTPName(path: "/a/").isSame(as: FTPName(path: "/a")))
    #expect(try !FTPName(path: "/a").isSame(as: FTPName(path: "/%2Fa")))
    for path in ["", "/", "/%2F", "//"] { #expect(try FTPName(path: path).isOfDirectoryWithoutName) }
  }
}
