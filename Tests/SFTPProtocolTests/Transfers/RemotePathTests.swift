import Foundation
import Testing
import URLLoading

@testable import SFTPProtocol

@Suite struct RemotePathTests {
  @Test(arguments: [
    ("sftp://h/a/b", "/a/b", false), ("sftp://h", "/", true), ("sftp://h/", "/", true), ("sftp://h/a/", "/a", true),
    ("sftp://h/~", ".", true), ("sftp://h/~/", ".", true), ("sftp://h/~/x/y", "x/y", false),
    ("sftp://h/~//x", "x", false),
    ("sftp://h/~user/x", "/~user/x", false), ("sftp://h/%7E/x", "/~/x", false), ("sftp://h/a/~/x", "/a/~/x", false),
    ("sftp://h/a%20b%25%0A%3F", "/a b%\n?", false), ("sftp://h/gr%C3%B6%C3%9Fe", "/größe", false),
  ])
  func paths(url: String, path: String, isDirectory: Bool) throws {
    let read = try RemotePath(of: #require(URL(string: url)))
    #expect(String(decoding: read.bytes, as: UTF8.self) == path)
    #expect(read.namesDirectory == isDirectory)
  }

  @Test func namesThatAreNotUTF8() throws {
    #expect(try RemotePath(of: #require(URL(string: "sftp://h/%FF%80"))).bytes == [0x2F, 0xFF, 0x80])
  }

  @Test(arguments: ["sftp://h/a%00b", "sftp://h/a?b"])
  func pathsThatNoFileHas(url: String) throws {
    let url = try #require(URL(string: url))
    let error = #expect(throws: URLError.self) { try RemotePath(of: url) }
    #expect(error?.code == .badURL)
    #expect(error?.failingURL == url)
  }

  @Test func temporaryNamesAreBesideTheFileAndFit() {
    let name = [UInt8](repeating: 0x61, count: 255)
    let temporary = RemotePath.temporary(for: Array("/d/e/".utf8) + name)
    #expect(temporary.starts(with: "/d/e/.aaa".utf8))
    #expect(temporary.count - 5 <= 255)
    #expect(RemotePath.temporary(for: Array("x".utf8)).starts(with: ".x.".utf8))
    for count in 198...204 {
      let name = String(repeating: "a", count: count - 198) + String(repeating: "€", count: 68)
      #expect(String(validating: RemotePath.temporary(for: Array(name.utf8)), as: UTF8.self)?.hasPrefix(".") == true)
    }
    #expect(RemotePath.temporary(for: Array("x".utf8)) != RemotePath.temporary(for: Array("x".utf8)))
  }
}
