import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Bodies that break off and go on.
@Suite(.timeLimit(.minutes(3))) struct RetriedBodyTests {
  private static let body = TestFiles.pattern(count: 300_000, seed: 41)
  private static let other = TestFiles.pattern(count: 200_000, seed: 42)

  /// What a server does with its requests, in turn.
  private enum Step: Sendable {
    /// Sends so many bytes of what is asked for, and closes.
    case breaks(after: Int)
    case whole
    case answers(HTTPResponse)
    /// As `whole`, without a length.
    case chunked
    /// The whole of another version.
    case changed
  }

  /// - Parameter isStrong: whether the resource has a strong validator.
  private func server(_ steps: Step..., isStrong: Bool = true) throws -> ScriptedServer {
    let tag = isStrong ? "ETag: \"v1\"\r\n" : "ETag: W/\"v1\"\r\n"
    return try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let step = steps[min(connection.number, steps.count) - 1]
      let first = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
      let length = Self.body.count - first
      let head =
        first == 0
        ? "HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\n" + tag
        : "HTTP/1.1 206 Part\r\nContent-Range: bytes \(first)-\(Self.body.count - 1)/\(Self.body.count)\r\n" + tag
      switch step {
      case .breaks(let count):
        try connection.send(head + "Content-Length: \(length)\r\n\r\n")
        try connection.send(Self.body.dropFirst(first).prefix(count))
      case .whole:
        try connection.send(head + "Content-Length: \(length)\r\n\r\n")
        try connection.send(Self.body.dropFirst(first))
      case .chunked:
        try connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        try connection.sendChunk(Self.body.dropFirst(first))
        try connection.sendChunk(Data())
      case .changed:
        try connection.send(HTTPResponse(fields: ["ETag": "\"v2\"", "Accept-Ranges": "bytes"], body: Self.other))
      case .answers(let response): try connection.send(response, to: request)
      }
    }
  }

  private func ranges(_ server: ScriptedServer) -> [String?] { server.requests.map { $0.fields["Range"] } }

  @Test(arguments: LoadKind.allCases) func aBodyGoesOnWhereItBroke(kind: LoadKind) async throws {
    let server = try server(.breaks(after: 100_001), .breaks(after: 50_000), .whole)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.body) == nil)
    // One response, whatever it took.
    #expect(record.status == 200 && record.completions == 1)
    #expect(ranges(server) == [nil, "bytes=100001-", "bytes=150001-"])
    #expect(server.requests.dropFirst().allSatisfy { $0.fields["If-Range"] == "\"v1\"" })
    guard kind != .async else { return }
    #expect(record.statuses == [200, 206, 206])
    #expect(record.events.count { $0 == "response" } == (kind == .delegate ? 1 : 0))
  }

  @Test func aStreamGoesOnWhereItBroke() async throws {
    let server = try server(.breaks(after: 100_001), .whole)
    let session = RetriedSession.make()
    defer { withExtendedLifetime(session) {} }
    let (bytes, response) = try await session.session.bytes(from: server.url())
    var received = Data()
    for try await chunk in bytes.chunks { received += chunk }
    #expect(TestFiles.firstDifference(received, Self.body) == nil)
    #expect((response as? HTTPURLResponse)?.statusCode == 200 && ranges(server) == [nil, "bytes=100001-"])
  }

  @Test func theProgressOfADownloadGoesOn() async throws {
    let server = try server(.breaks(after: 100_001), .whole)
    let recorder = DownloadRecorder(try TemporaryDirectory("retries"))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.retryPolicy = RetriedSession.policy()
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.downloadTask(with: server.url()).resume()
    let log = try #require(await recorder.completed())
    #expect(log.error == nil && log.resumed.isEmpty)
    #expect(try TestFiles.firstDifference(Data(contentsOf: #require(log.file)), Self.body) == nil)
    #expect(log.written.map { $0[0] }.reduce(0, +) == Int64(Self.body.count))
    #expect(log.written.allSatisfy { $0[2] == Int64(Self.body.count) })
    #expect(log.written.map { $0[1] } == log.written.map { $0[1] }.sorted())
  }

  @Test func aPartThatWasAskedForGoesOn() async throws {
    let server = try server(.breaks(after: 100), .whole)
    var request = URLRequest(url: server.url())
    request.setValue("bytes=1000-", forHTTPHeaderField: "Range")
    let record = await RetriedSession.make().load(request)
    #expect(TestFiles.firstDifference(record.body, Self.body.dropFirst(1000)) == nil && record.status == 206)
    #expect(ranges(server) == ["bytes=1000-", "bytes=1100-299999"])
  }

  /// Nobody has seen what is in memory.
  @Test func withoutAValidatorABodyInMemoryIsLoadedAnew() async throws {
    let server = try server(.breaks(after: 100_001), .whole, isStrong: false)
    let record = await RetriedSession.make().load(server.url(), as: .async)
    #expect(TestFiles.firstDifference(record.body, Self.body) == nil && ranges(server) == [nil, nil])
  }

  @Test(arguments: [LoadKind.delegate, .download]) func withoutAValidatorTheLoadFails(kind: LoadKind) async throws {
    let server = try server(.breaks(after: 100_001), .whole, isStrong: false)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    #expect(record.code == .networkConnectionLost && server.requests.count == 1)
    if kind == .delegate { #expect(TestFiles.firstDifference(record.body, Self.body.prefix(100_001)) == nil) }
  }

  @Test(arguments: LoadKind.allCases) func anotherVersionIsNotJoined(kind: LoadKind) async throws {
    let server = try server(.breaks(after: 100_001), .changed)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    #expect(ranges(server) == [nil, "bytes=100001-"])
    guard kind == .delegate else {
      #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.other) == nil)
      return
    }
    #expect(record.code == .networkConnectionLost)
    #expect(TestFiles.firstDifference(record.body, Self.body.prefix(100_001)) == nil)
  }

  /// A part that is not what was asked for: the whole is loaded where that is possible.
  @Test(arguments: LoadKind.allCases) func anotherPartIsNotJoined(kind: LoadKind) async throws {
    let wrong = HTTPResponse(
      206, fields: ["ETag": "\"v1\"", "Content-Range": "bytes 5-299999/300000"], body: Self.body.dropFirst(5))
    let server = try server(.breaks(after: 100_001), .answers(wrong), .whole)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    guard kind == .delegate else {
      #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.body) == nil)
      return #expect(ranges(server) == [nil, "bytes=100001-", nil])
    }
    #expect(record.code == .networkConnectionLost && record.body == Self.body.prefix(100_001))
  }

  /// What is downloaded so far is worth more than the answer.
  @Test func aRefusalEndsTheLoadAsItWouldHaveEnded() async throws {
    let server = try server(.breaks(after: 100_001), .answers(HTTPResponse(404, text: "gone")))
    let record = await RetriedSession.make().load(server.url(), as: .download)
    #expect(record.code == .networkConnectionLost && record.status == 200)
    let data = (record.error as? URLError)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    let file = try Downloads.partialFile(try #require(data))
    defer { unlink(file.path) }
    #expect(try TestFiles.firstDifference(Data(contentsOf: file), Self.body.prefix(100_001)) == nil)
  }

  @Test func aStatusWhileTheRestIsAskedFor() async throws {
    let server = try server(.breaks(after: 100_001), .answers(HTTPResponse(503)), .whole)
    let record = await RetriedSession.make().load(server.url())
    #expect(TestFiles.firstDifference(record.body, Self.body) == nil)
    #expect(ranges(server) == [nil, "bytes=100001-", "bytes=100001-"] && record.statuses == [200, 503, 206])
  }

  /// A file alone counts what comes; others need a length.
  @Test(arguments: LoadKind.allCases) func aRestWithoutALength(kind: LoadKind) async throws {
    let server = try server(.breaks(after: 100_001), .chunked, .whole)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    if kind == .delegate {
      #expect(record.code == .networkConnectionLost && record.body == Self.body.prefix(100_001))
    } else {
      #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.body) == nil)
    }
  }

  @Test func aRetryOfADownloadThatGoesOnFromAnEarlierOne() async throws {
    let server = try server(.breaks(after: 100_001), .breaks(after: 50_000), .whole)
    // The first without a policy, which leaves resume data.
    let first = await RecordedSession().load(server.url(), as: .download)
    let data = try #require((first.error as? URLError)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    let session = RetriedSession.make()
    let record = await session.run(session.session.downloadTask(withResumeData: data))
    #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.body) == nil)
    #expect(ranges(server) == [nil, "bytes=100001-", "bytes=150001-"])
  }

  @Test func aTransferByFTPGoesOn() async throws {
    var script = ScriptedFTPServer.Script(file: Self.body)
    (script.limit, script.ending) = (100_001, "426 lost")
    let server = try ScriptedFTPServer(script)
    let session = RetriedSession.make(LoadRecorder(), RetriedSession.policy(firstDelay: 0.5))
    let task = session.session.dataTask(with: server.url())
    task.resume()
    #expect(try await task.waitForRetry())
    server.change { ($0.limit, $0.ending) = (.max, "226 done") }
    let record = await session.run(task)
    #expect(record.error == nil && TestFiles.firstDifference(record.body, Self.body) == nil)
    #expect(server.commands.contains("REST 100001"), "\(server.commands)")
    await server.stop()
  }

  @Test func cancellingWhileTheRestIsWaitedForLeavesResumeData() async throws {
    let server = try server(.breaks(after: 100_001), .answers(HTTPResponse(503, fields: ["Retry-After": "30"])))
    let session = RetriedSession.make()
    let task = session.session.downloadTask(with: server.url())
    task.resume()
    #expect(await server.waitForRequests(2))
    #expect(try await task.waitForRetry())
    let data = try #require(await task.cancelByProducingResumeData())
    let file = try Downloads.partialFile(data)
    defer { unlink(file.path) }
    #expect(try TestFiles.firstDifference(Data(contentsOf: file), Self.body.prefix(100_001)) == nil)
  }

  @Test func theRestIsNotStoredInTheCache() async throws {
    let server = try server(.breaks(after: 100_001), .whole)
    let session = RetriedSession.make { $0.urlCache = URLCache(memoryCapacity: 10_000_000, diskCapacity: 0) }
    for _ in 0..<2 {
      let record = await session.load(server.url(), as: .async)
      #expect(TestFiles.firstDifference(record.body, Self.body) == nil)
    }
    #expect(ranges(server) == [nil, "bytes=100001-", nil])
  }
}
