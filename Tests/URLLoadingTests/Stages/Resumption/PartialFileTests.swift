import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The file that an interrupted download leaves, and what else resume data may name.
@Suite(.timeLimit(.minutes(4))) struct PartialFileTests {
  private let size = DocumentRoot.largeSize
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("partial")
  }

  private func interrupted() async throws -> (data: Data, partial: URL) {
    let server = try await NginxServer.shared
    let request = URLRequest(url: server.url("/slow/large.bin?rate=2m"))
    let data = try #require(try await Downloads.interrupt(request, after: 20_000))
    return (data, try Downloads.partialFile(data))
  }

  @Test func deletedPartialFileMakesTheDownloadStartAgain() async throws {
    let (data, partial) = try await interrupted()
    unlink(partial.path)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[0, Int64(size)]])
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
  }

  @Test func shortenedPartialFileGoesOnFromWhatIsThere() async throws {
    let (data, partial) = try await interrupted()
    truncate(partial.path, 7)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[7, Int64(size)]])
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
  }

  @Test(arguments: [0, 1]) func wholePartialFileIsCheckedOnceMore(tooMany: Int) async throws {
    let (data, partial) = try await interrupted()
    let body = TestFiles.pattern(count: size) + Data(repeating: 1, count: tooMany)
    let handle = try FileHandle(forWritingTo: partial)
    try handle.write(contentsOf: body)
    try handle.close()
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[Int64(size) - 1, Int64(size)]])
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
  }

  @Test func twoDownloadsThatResumeTheSameDataAtOnceAreBothWhole() async throws {
    let (data, _) = try await interrupted()
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let files = try await withThrowingTaskGroup(of: URL.self) { group in
      for _ in 0..<4 { group.addTask { try await session.download(resumeFrom: data).0 } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(files).count == 4)
    for file in files {
      #expect(try TestFiles.firstDifference(in: file, count: size) == nil)
      unlink(file.path)
    }
  }

  @Test func resumingAgainLeavesTheFileAloneThatAnOwnerHas() async throws {
    let (data, _) = try await interrupted()
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let (first, _) = try await session.download(resumeFrom: data)
    let (second, _) = try await session.download(resumeFrom: data)
    #expect(first != second)
    for file in [first, second] {
      #expect(try TestFiles.firstDifference(in: file, count: size) == nil)
      unlink(file.path)
    }
  }

  @Test func plainCancelLeavesNoFile() async throws {
    let server = try await NginxServer.shared
    try server.addFile("plain-cancel.bin", count: 3_000_000, seed: 77)
    let recorder = DownloadRecorder(directory)
    let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url("/slow/plain-cancel.bin?rate=1m"))
    task.resume()
    #expect(try await eventually { task.countOfBytesReceived > 1000 })
    let file = try #require(try openFile(beginningWith: TestFiles.pattern(count: 100, seed: 77)))
    task.cancel()
    let log = try #require(await recorder.completed())
    #expect(log.error?.code == .cancelled)
    #expect(log.error?.userInfo[NSURLSessionDownloadTaskResumeData] == nil)
    #expect(log.calls.last == "complete" && log.file == nil)
    #expect(access(file, F_OK) != 0, "\(file) is left")
  }

  /// The file of a download that this process has open, found by what is in it.
  private func openFile(beginningWith bytes: Data) throws -> String? {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .first {
        $0.contains("URLLoadingDownload_") && FileManager.default.contents(atPath: $0)?.starts(with: bytes) == true
      }
  }

  @Test func resumeDataCannotHaveOtherFilesWritten() async throws {
    let (data, partial) = try await interrupted()
    defer { unlink(partial.path) }
    let precious = try directory.write("precious.txt", "precious")
    let link = directory.file("URLLoadingDownload_link.tmp")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: precious)
    let pipe = directory.file("URLLoadingDownload_pipe.tmp")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    for path in [precious.path, link.path, pipe.path, directory.path, "/dev/null", "/nowhere/URLLoadingDownload_1.tmp"]
    {
      let log = try await Downloads.resume(Downloads.changing(data) { $0["localPath"] = path }, in: directory)
      #expect(log.error == nil && log.resumed.first?.first == 0, "\(path)")
      #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
    }
    #expect(try String(contentsOf: precious, encoding: .utf8) == "precious")
  }

  @Test(arguments: [Data(), Data("bplist00".utf8), Data("<plist/>".utf8), Data(repeating: 0xFF, count: 5000)])
  func resumeDataThatIsNoneFailsTheTask(data: Data) async throws {
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.calls == ["complete"])
    #expect(log.error?.code == .cannotOpenFile)
    #expect(log.error?.localizedDescription.contains("resume data") == true)
  }
}
