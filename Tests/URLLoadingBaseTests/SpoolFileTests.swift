import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase

struct SpoolFileTests {
  @Test func readsWhatWasWrittenAndLeavesNoName() throws {
    let folder = try TemporaryDirectory("spool")
    let file = try SpoolFile(directory: folder.path)
    let content = TestFiles.pattern(count: 300_000)
    try content.withUnsafeBytes { try file.write($0, at: 5) }
    var read = [UInt8](repeating: 1, count: 400_000)
    let count = try read.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    #expect(count == 300_005)
    #expect(TestFiles.firstDifference(Data(read[..<count]), Data(count: 5) + content) == nil)
    #expect(try read.withUnsafeMutableBytes { try file.read(into: $0, at: 300_005) } == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func namesADirectoryThatIsMissing() {
    let failure = #expect(throws: SpoolFile.Failure.self) { try SpoolFile(directory: "/nowhere/at/all") }
    #expect(failure?.code == ENOENT)
    #expect(failure?.localizedDescription.contains("/nowhere/at/all cannot be made (No such file") == true)
  }
}

struct FileVersionTests {
  @Test func changesWithTheFile() throws {
    let folder = try TemporaryDirectory("version")
    let file = try folder.write("a", "one")
    let first = try #require(FileVersion(path: file.path))
    let handle = try FileHandle(forReadingFrom: file)
    #expect(FileVersion(of: handle.fileDescriptor) == first && first.size == 3)
    try FileManager.default.removeItem(at: file)
    try folder.write("a", "one")
    #expect(FileVersion(path: file.path) != first)
    #expect(FileVersion(of: handle.fileDescriptor)?.size == 3)
    #expect(FileVersion(path: folder.file("missing").path) == nil && FileVersion(of: -1) == nil)
  }
}
