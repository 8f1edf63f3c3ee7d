import Foundation
import Testing

@testable import ArchiveProtocol

struct ArchiveShorthandTests {
  static let directory = URL(filePath: "/home/me/my files", directoryHint: .notDirectory)

  @Test(arguments: [
    ("x.zip!/a", "file:///home/me/my%20files/x.zip", "a"),
    ("/tmp/100%.zip!/what?#%41", "file:///tmp/100%25.zip", "what?#%41"),
    ("../x y.zip!/", "file:///home/me/x%20y.zip", ""),
    ("./a:b.zip!/c", "file:///home/me/my%20files/a:b.zip", "c"),
    ("d/ü.zip!/../x", "file:///home/me/my%20files/d/%C3%BC.zip", "../x"),
  ])
  func becomesAFileURL(text: String, archive: String, member: String) throws {
    let url = try #require(URL(archiveShorthand: text, relativeTo: Self.directory))
    #expect(url.archiveMember?.archive.absoluteString == archive)
    #expect(url.archiveMember?.path == member)
  }

  @Test func nests() throws {
    let url = try #require(URL(archiveShorthand: "a.tar!/b.zip!/c d", relativeTo: Self.directory))
    #expect(try url == URL(archiveString: "archive:archive:file:///home/me/my%20files/a.tar!/b.zip!/c%20d"))
  }

  @Test(arguments: ["x.zip", "x.zip!", "!/a", "https://h/x.zip!/a", "archive:file:///x!/a", "a:b.zip!/c", ""])
  func leavesOthersAlone(text: String) {
    #expect(URL(archiveShorthand: text, relativeTo: Self.directory) == nil)
  }

  @Test func boundsTheDepth() {
    let text = "x" + String(repeating: "!/a", count: 1_000)
    #expect(URL(archiveShorthand: text, relativeTo: Self.directory) == nil)
  }
}
