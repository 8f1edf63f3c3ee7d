import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `file:` URLs through every kind of task.
@Suite(.timeLimit(.minutes(4))) struct FileURLTests {
  private let directory: TemporaryDirectory
  private let session = URLSession(configuration: .ephemeral)

  init() throws {
    directory = try TemporaryDirectory("file")
  }

  private func request(_ file: URL, _ fields: [String: String] = [:], method: String = "GET") -> URLRequest {
    var request = URLRequest(url: file)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  @Test func everyKindOfTaskLoadsAFile() async throws {
    let body = TestFiles.pattern(count: 1_000_003)
    let file = try directory.write("a b%20ü.bin", body)
    let (data, response) = try await session.data(from: file)
    #expect(difference(data, from: body) == nil)
    #expect(response.expectedContentLength == 1_000_003)
    #expect(response.acceptsByteRanges && response.validators.isStrong)
    #expect(response.suggestedFilename == "a b%20ü.bin")
    let (location, _) = try await session.download(from: file)
    defer { unlink(location.path) }
    #expect(try difference(Data(contentsOf: location), from: body) == nil)
    #expect(try difference(Data(contentsOf: file), from: body) == nil, "the original must stay")
    let handled = Watched<Data?>(nil)
    session.dataTask(with: file) { data, _, _ in handled.update { $0 = data } }.resume()
    #expect(await handled.wait { $0 == body })
    let recorder = DownloadRecorder(directory)
    let delegated = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { delegated.invalidateAndCancel() }
    delegated.downloadTask(with: file).resume()
    let log = try #require(await recorder.completed())
    #expect(log.written.last?.dropFirst() == [1_000_003, 1_000_003])
    #expect(try difference(Data(contentsOf: #require(log.file)), from: body) == nil)
    var bytes = Data()
    for try await byte in try await session.bytes(from: file).0.prefix(5000) { bytes.append(byte) }
    #expect(difference(bytes, from: body.prefix(5000)) == nil)
  }

  @Test func emptyFileIsEmpty() async throws {
    let file = try directory.write("empty.txt", "")
    let (data, response) = try await session.data(from: file)
    #expect(data.isEmpty && response.expectedContentLength == 0)
    let (location, _) = try await session.download(from: file)
    defer { unlink(location.path) }
    #expect(try Data(contentsOf: location).isEmpty)
  }

  /// Files below `/proc` have contents, and a size of 0.
  @Test func aFileWithoutASizeIsReadToItsEnd() async throws {
    let file = URL(fileURLWithPath: "/proc/self/status")
    let (data, response) = try await session.data(from: file)
    #expect(String(decoding: data, as: UTF8.self).hasPrefix("Name:"))
    #expect(response.expectedContentLength == -1 && !response.acceptsByteRanges)
    #expect(response.mimeType == "text/plain")
    let (nothing, head) = try await session.data(for: request(file, method: "HEAD"))
    #expect(nothing.isEmpty && head.expectedContentLength == -1)
    let (location, _) = try await session.download(from: file)
    defer { unlink(location.path) }
    #expect(try String(contentsOf: location, encoding: .utf8).hasPrefix("Name:"))
  }

  /// Files below `/sys` have the size of a page, whatever is in them.
  @Test(.enabled(if: access("/sys/kernel/cpu_byteorder", R_OK) == 0), arguments: [[:], ["Range": "bytes=0-1"]])
  func aFileWithTheSizeOfAPageIsReadToItsEnd(fields: [String: String]) async throws {
    let file = URL(fileURLWithPath: "/sys/kernel/cpu_byteorder")
    let (data, response) = try await session.data(for: request(file, fields))
    #expect(data == Data("\(1.littleEndian == 1 ? "little" : "big")\n".utf8))
    #expect(response.expectedContentLength == -1 && !response.acceptsByteRanges && response.contentRange == nil)
  }

  @Test(
    arguments: [
      ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=9-9", "9", "bytes 9-9/10"), ("bytes=3-5", "345", "bytes 3-5/10"),
      ("bytes=8-100", "89", "bytes 8-9/10"), ("bytes=7-", "789", "bytes 7-9/10"),
      ("bytes=0-", "0123456789", "bytes 0-9/10"),
      ("bytes=-2", "89", "bytes 8-9/10"), ("bytes=-100", "0123456789", "bytes 0-9/10"),
      ("bytes=5-3", "0123456789", nil), ("bytes=0-1,3-4", "0123456789", nil), ("lines=0-1", "0123456789", nil),
    ] as [(String, String, String?)])
  func ranges(field: String, body: String, range: String?) async throws {
    let file = try directory.write("digits.txt", "0123456789")
    let (data, response) = try await session.data(for: request(file, ["Range": field]))
    #expect(String(decoding: data, as: UTF8.self) == body)
    #expect(response.expectedContentLength == Int64(body.utf8.count))
    #expect(response.contentRange.map { "bytes \($0.firstByte)-\($0.lastByte)/\($0.completeLength ?? -1)" } == range)
  }

  @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0"]) func rangeBeyondTheEndFails(field: String) async throws {
    let file = try directory.write("digits.txt", "0123456789")
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: request(file, ["Range": field]))
    }
    #expect(error.code == .badServerResponse)
    #expect(error.localizedDescription.contains(field) && error.localizedDescription.contains("10 bytes"))
  }

  @Test func ifRangeGivesTheWholeOfAChangedFile() async throws {
    let file = try directory.write("digits.txt", "0123456789")
    let tag = try #require(try await session.data(from: file).1.validators.entityTag)
    let fields = ["Range": "bytes=4-", "If-Range": tag]
    #expect(try await session.data(for: request(file, fields)).0 == Data("456789".utf8))
    try directory.write("digits.txt", "ABCDEFGHIJ")
    #expect(try await session.data(for: request(file, fields)).0 == Data("ABCDEFGHIJ".utf8))
  }

  @Test func headGivesTheResponseWithoutBody() async throws {
    let file = try directory.write("page.html", "<p>hello")
    let (data, response) = try await session.data(for: request(file, method: "HEAD"))
    #expect(data.isEmpty)
    #expect(response.expectedContentLength == 8 && response.mimeType == "text/html")
  }

  @Test(
    arguments: [
      ("a.json", "x", "application/json"), ("a.PNG", "x", "image/png"),
      ("noextension", "%PDF-1.7\n", "application/pdf"),
      ("image", "\u{89}PNG\r\n\u{1A}\n", nil), ("unknown.zzz", "plain text\n", "text/plain"),
    ] as [(String, String, String?)])
  func mimeTypeByNameThenByContent(name: String, content: String, type: String?) async throws {
    let bytes = name == "image" ? Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) : Data(content.utf8)
    let response = try await session.data(from: directory.write(name, bytes)).1
    #expect(response.mimeType == type ?? "image/png")
  }

  @Test func directoryMissingAndForeignHostHaveTheirCodes() async throws {
    for (url, code) in [
      (directory.url, URLError.Code.fileIsDirectory), (URL(fileURLWithPath: directory.path), .fileIsDirectory),
      (directory.file("missing"), .fileDoesNotExist),
      (try directory.write("file", "x").appendingPathComponent("below"), .fileDoesNotExist),
      (try #require(URL(string: "file://example.org/etc/hostname")), .fileDoesNotExist),
    ] {
      let error = try await #require(throws: URLError.self) { try await session.data(from: url) }
      #expect(error.code == code, "\(url)")
      #expect(error.failingURL == url)
      let download = try await #require(throws: URLError.self) { try await session.download(from: url) }
      #expect(download.code == code, "\(url)")
    }
    let local = try #require(URL(string: "file://localhost\(directory.file("file").path)"))
    #expect(try await session.data(from: local).0 == Data("x".utf8))
  }

  @Test func unreadableFileHasItsCode() async throws {
    let file = try directory.write("secret", "secret")
    chmod(file.path, 0o000)
    // Root may read everything, so another user tries.
    let worker = try DownloadWorker(["unprivileged-file", file.absoluteString], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0))
    #expect(worker.lines == ["error \(URLError.noPermissionsToReadFile.rawValue)"])
  }

  /// A file that is so large that its download does not end before it is interrupted, and takes no room on the disk.
  private func sparse(_ name: String, size: Int64) throws -> URL {
    let file = try directory.write(name, TestFiles.pattern(count: 100_000))
    guard truncate(file.path, off_t(size)) == 0 else { throw TestServerError.system("truncate") }
    return file
  }

  @Test func interruptedDownloadOfAFileGoesOn() async throws {
    let size: Int64 = 200_000_000
    let file = try sparse("large.bin", size: size)
    let data = try #require(try await Downloads.interrupt(URLRequest(url: file), after: 1), "it was over too soon")
    let log = try await Downloads.resume(data, in: directory)
    let resumed = try #require(log.resumed.first)
    #expect(resumed[0] > 0 && resumed[1] == size)
    #expect(FileManager.default.contentsEqual(atPath: try #require(log.file).path, andPath: file.path))
  }

  @Test func resumedDownloadOfAChangedFileStartsAgain() async throws {
    let file = try sparse("changed.bin", size: 2_000_000_000)
    let data = try #require(try await Downloads.interrupt(URLRequest(url: file), after: 1))
    try TestFiles.write(count: 1_000_000, seed: 3, to: file)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[0, 1_000_000]])
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: 1_000_000, seed: 3) == nil)
  }

  @Test func resumedDownloadOfALostFileFailsAndCanBeResumedStill() async throws {
    let file = try sparse("lost.bin", size: 2_000_000_000)
    let data = try #require(try await Downloads.interrupt(URLRequest(url: file), after: 1))
    unlink(file.path)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.error?.code == .fileDoesNotExist)
    #expect(log.error?.userInfo[NSURLSessionDownloadTaskResumeData] != nil)
    let partial = try Downloads.partialFile(data).path
    #expect(access(partial, F_OK) == 0)
    unlink(partial)
  }
}
