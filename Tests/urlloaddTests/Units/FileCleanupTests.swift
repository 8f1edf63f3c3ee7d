import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// What is removed of the service's files when it starts.
@Suite struct FileCleanupTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func whatATaskDoesNotNameGoesAtOnceOnlyWhereItIsThere() throws {
    let (named, left) = ("URLLoadingDownload_1-a.tmp", "URLLoadingDownload_1-b.tmp")
    let others = ["URLLoadingDownload_2-a.tmp", "URLLoadingDownload_c.tmp", "upload-1"]
    for name in [named, left] + others { try folder.write(name, "x") }
    FileCleanup.run(in: folder.path, keeping: [named], tasks: [1])
    #expect(try names() == ([named] + others).sorted())
  }

  @Test func othersGoAfterAWeek() throws {
    let old = ["URLLoadingDownload_2-a.tmp", "URLLoadingDownload_c.tmp", "upload-1"]
    let named = "URLLoadingDownload_1-a.tmp"
    let date = Date(timeIntervalSinceNow: -8 * 86_400)
    for name in old + [named] {
      let file = try folder.write(name, "x")
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }
    try folder.write("upload-2", "x")
    FileCleanup.run(in: folder.path, keeping: [named], tasks: [1])
    #expect(try names() == [named, "upload-2"])
  }

  /// A program may have resume data that names the file of a task that is gone.
  @Test func numbersOfFilesAreNotGivenAgain() throws {
    #expect(FileCleanup.largestNumber(in: folder.path) == 0)
    for number in [7, 12, Int.max] { try folder.write("URLLoadingDownload_\(number)-a.tmp", "x") }
    try folder.write("handed-99-1", "x")
    let largest = FileCleanup.largestNumber(in: folder.path)
    #expect(largest == 12)
    var queue = JobQueue()
    queue.skipNumbers(through: largest)
    queue.skipNumbers(through: 3)
    let task = BackgroundTaskDescription(kind: .download, request: Data())
    #expect(queue.add(session: "s", task, origin: "http://a:", resourceTimeout: nil).number == 13)
  }
}
