import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `ftp:` URLs against a real server: downloads, ranges, resuming, uploads, errors.
@Suite(.timeLimit(.minutes(4))) struct FTPTests {
  private let size = DocumentRoot.largeSize
  private let session = URLSession(configuration: .ephemeral)
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("ftp")
  }

  private func request(_ url: URL, range: String, condition: String? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue(range, forHTTPHeaderField: "Range")
    request.setValue(condition, forHTTPHeaderField: "If-Range")
    return request
  }

  @Test func everyKindOfTaskLoadsFromFTP() async throws {
    let server = try await FTPServer.shared
    let (data, response) = try await session.data(from: server.url("/small.txt"))
    #expect(data == DocumentRoot.small)
    #expect(response.expectedContentLength == 1024 && response.mimeType == "text/plain")
    #expect(response.acceptsByteRanges && response.validators.isStrong)
    let (file, _) = try await session.download(from: server.url("/large.bin"))
    defer { unlink(file.path) }
    #expect(try TestFiles.firstDifference(in: file, count: size) == nil)
    #expect(try await session.data(from: server.url("/empty.bin")).0.isEmpty)
    #expect(try await session.data(from: server.url("/folder/inner.txt")).0 == Data("inner\n".utf8))
  }

  @Test(arguments: [
    ("bytes=0-0", 0..<1), ("bytes=1023-1023", 1023..<1024), ("bytes=1000-5000", 1000..<1024),
    ("bytes=1000-", 1000..<1024),
    ("bytes=0-", 0..<1024), ("bytes=-24", 1000..<1024), ("bytes=-5000", 0..<1024), ("bytes=100-199", 100..<200),
  ])
  func ranges(field: String, expected: Range<Int>) async throws {
    let server = try await FTPServer.shared
    let (data, response) = try await session.data(for: request(server.url(), range: field))
    #expect(data == DocumentRoot.small[expected])
    let range = try #require(response.contentRange)
    #expect(range.firstByte == Int64(expected.lowerBound) && range.lastByte == Int64(expected.upperBound - 1))
    #expect(range.completeLength == 1024)
    #expect(response.expectedContentLength == Int64(expected.count))
  }

  @Test func rangeBeyondTheEndFails() async throws {
    let server = try await FTPServer.shared
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: request(server.url(), range: "bytes=1024-"))
    }
    #expect(error.code == .badServerResponse)
    #expect(try await session.data(from: server.url()).0 == DocumentRoot.small)
  }

  @Test func ifRangeDecidesBetweenPartAndWhole() async throws {
    let server = try await FTPServer.shared
    let tag = try #require(try await session.data(from: server.url()).1.validators.entityTag)
    let part = try await session.data(for: request(server.url(), range: "bytes=1000-", condition: tag)).0
    #expect(part == DocumentRoot.small[1000...])
    let whole = try await session.data(for: request(server.url(), range: "bytes=1000-", condition: "\"other\"")).0
    #expect(whole == DocumentRoot.small)
  }

  @Test func headGivesSizeAndDate() async throws {
    let server = try await FTPServer.shared
    var request = URLRequest(url: server.url())
    request.httpMethod = "HEAD"
    let (data, response) = try await session.data(for: request)
    #expect(data.isEmpty)
    #expect(response.expectedContentLength == 1024)
    #expect(response.validators.lastModified != nil)
  }

  @Test func missingFileAndDirectoryHaveTheirCodes() async throws {
    let server = try await FTPServer.shared
    for (path, code) in [
      ("/missing.txt", URLError.Code.fileDoesNotExist), ("/no/such/folder/x", .fileDoesNotExist),
      ("/folder/", .fileIsDirectory),
      ("/folder", .fileIsDirectory), ("/", .fileIsDirectory),
    ] {
      let error = try await #require(throws: URLError.self, "\(path)") {
        try await session.data(from: server.url(path))
      }
      #expect(error.code == code, "\(path): \(error.localizedDescription)")
      #expect(error.failingURL == server.url(path))
    }
    let ranged = try await #require(throws: URLError.self) {
      try await session.data(for: request(server.url("/missing.txt"), range: "bytes=5-"))
    }
    #expect(ranged.code == .fileDoesNotExist)
  }

  // MARK: Resuming

  @Test func interruptedDownloadGoesOn() async throws {
    var options = FTPServer.Options()
    options.rateLimit = 3_000_000
    let server = try await FTPServer.start(options: options)
    let url = server.url("/large.bin")
    let data = try #require(try await Downloads.interrupt(URLRequest(url: url), after: 200_000))
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.error == nil)
    let offset = try #require(log.resumed.first)
    #expect(offset[0] >= 200_000 && offset[1] == Int64(size))
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
    #expect(await server.waitForLog("<- REST \(offset[0])"))
    // A changed one starts again.
    let again = try #require(try await Downloads.interrupt(URLRequest(url: url), after: 1))
    try TestFiles.write(count: 1_000_000, seed: 4, to: server.documentRoot.appendingPathComponent("large.bin"))
    let changed = try await Downloads.resume(again, in: directory)
    #expect(changed.resumed == [[0, 1_000_000]])
    #expect(try TestFiles.firstDifference(in: #require(changed.file), count: 1_000_000, seed: 4) == nil)
    await server.stop()
  }

  @Test func serverWithoutRestartGivesTheWhole() async throws {
    var options = FTPServer.Options()
    options.disabledCommands = ["REST"]
    options.rateLimit = 4_000_000
    let server = try await FTPServer.start(options: options)
    let (data, response) = try await session.data(for: request(server.url(), range: "bytes=1000-"))
    #expect(data == DocumentRoot.small)
    #expect(response.contentRange == nil)
    let resumeData = try #require(
      try await Downloads.interrupt(URLRequest(url: server.url("/large.bin")), after: 100_000))
    let log = try await Downloads.resume(resumeData, in: directory)
    #expect(log.resumed.first?.first == 0)
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
    await server.stop()
  }

  @Test(arguments: [["SIZE"], ["SIZE", "MLSD"], ["MDTM"], ["EPSV"]])
  func serverThatLacksACommandStillServes(commands: [String]) async throws {
    var options = FTPServer.Options()
    options.disabledCommands = commands
    let server = try await FTPServer.start(options: options)
    #expect(try await session.data(from: server.url()).0 == DocumentRoot.small)
    for range in ["1000-", "-24"] {
      let (part, response) = try await session.data(for: request(server.url(), range: "bytes=\(range)"))
      #expect(part == DocumentRoot.small[1000...])
      #expect(response.contentRange?.fieldValue == "bytes 1000-1023/1024" && response.expectedContentLength == 24)
    }
    let inner = try await session.data(for: request(server.url("/folder/inner.txt"), range: "bytes=2-")).0
    #expect(inner == Data("ner\n".utf8))
    await server.stop()
  }

  @Test func cancelAtEveryStepEndsOnceAndTheSessionWorksOn() async throws {
    let server = try await FTPServer.shared
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    for step in 0..<40 {
      let ends = Watched<[URLError.Code?]>([])
      let task = session.dataTask(with: server.url("/large.bin")) { _, _, error in
        ends.update { $0.append((error as? URLError)?.code) }
      }
      task.resume()
      // From before the connection to well into the body.
      try await Task.sleep(for: .microseconds(step * 250))
      task.cancel()
      #expect(await ends.wait { !$0.isEmpty }, "step \(step)")
      #expect(ends.value.count == 1 && [.cancelled, nil].contains(ends.value[0]), "step \(step): \(ends.value)")
    }
    #expect(try await session.data(from: server.url()).0 == DocumentRoot.small)
  }
}
