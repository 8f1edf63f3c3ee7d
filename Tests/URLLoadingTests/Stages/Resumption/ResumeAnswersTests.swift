import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What servers may answer to the request of a resumed download.
@Suite(.timeLimit(.minutes(4))) struct ResumeAnswersTests {
  private static let old = TestFiles.pattern(count: 200_000, seed: 11)
  private static let new = TestFiles.pattern(count: 150_000, seed: 12)
  private static let stop = 70_001
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("answers")
  }

  /// A server that breaks off the first download, answers the next request with a range by `answer`, and gives the
  /// new version without one.
  private func run(
    answer: @escaping @Sendable (_ start: Int) -> HTTPResponse
  ) async throws -> (log: DownloadRecorder.Log, resumeData: Data, ranges: [String?]) {
    let isFirst = Watched(true)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if isFirst.update({ first in
        defer { first = false }; return first
      }) {
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(Self.old.count)\r\n\r\n")
        return try connection.send(Self.old.prefix(Self.stop))
      }
      guard let range = request.fields["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
        return try connection.send(HTTPResponse(200, fields: ["ETag": "\"v2\""], body: Self.new))
      }
      try connection.send(answer(start))
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(from: server.url("/file")) }
    let data = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    let log = try await Downloads.resume(data, in: directory)
    return (log, data, server.requests.map { $0.fields["Range"] })
  }

  private static func partial(_ start: Int, _ fields: HTTPFields, of body: Data = new) -> HTTPResponse {
    var all: HTTPFields = ["Content-Range": "bytes \(start)-\(body.count - 1)/\(body.count)", "ETag": "\"v1\""]
    for field in fields.list { all[field.name] = field.value.isEmpty ? nil : field.value }
    return HTTPResponse(206, fields: all, body: body.dropFirst(start))
  }

  /// Answers that do not continue what is there, so that the download must start again with a request of its own.
  static let unusable: [(String, @Sendable (Int) -> HTTPResponse)] = [
    ("416", { _ in HTTPResponse(416, fields: ["Content-Range": "bytes */150000"], text: "no such range") }),
    ("another total", { partial($0, [:]) }),
    ("another entity tag", { partial($0, ["ETag": "\"v2\""], of: old) }),
    ("another offset", { partial($0 - 1, [:], of: old) }),
    (
      "less than the rest",
      {
        HTTPResponse(
          206, fields: ["Content-Range": "bytes \($0)-\($0 + 9)/200000", "ETag": "\"v1\""], body: old[$0..<$0 + 10])
      }
    ),
    ("no Content-Range", { HTTPResponse(206, fields: ["ETag": "\"v1\""], body: old.dropFirst($0)) }),
    ("garbage in Content-Range", { partial($0, ["Content-Range": "bytes x-y/z"], of: old) }),
    (
      "several parts",
      { _ in
        HTTPResponse(206, fields: ["Content-Type": "multipart/byteranges; boundary=x"], text: "--x\r\n\r\n--x--")
      }
    ),
    ("a coding", { partial($0, ["Content-Encoding": "gzip"], of: old) }),
    ("another unit", { partial($0, ["Content-Range": "lines \($0)-199999/200000"], of: old) }),
    ("no entity tag", { partial($0, ["ETag": ""], of: old) }),
    (
      "another length in no Content-Range",
      { partial($0, ["Content-Range": "bytes \($0)-199998/*"], of: old.dropLast()) }
    ),
    ("status 200 and another total", { unmarked($0, [:], of: new) }),
    ("status 200 and an unknown total", { unmarked($0, ["Content-Range": "bytes \($0)-199999/*"]) }),
    ("status 200 and no range", { unmarked($0, ["Content-Range": "bytes */200000"]) }),
    ("status 200 and no entity tag", { unmarked($0, ["ETag": ""]) }),
    ("status 200 and a weak entity tag", { unmarked($0, ["ETag": "W/\"v1\""]) }),
    ("status 200 and another entity tag", { unmarked($0, ["ETag": "\"v2\""]) }),
    ("status 200 and two entity tags", { unmarked($0, [:], "ETag: \"v1\"", "ETag: \"v3\"") }),
    ("announced as shorter", { partial($0, ["Content-Length": "\(200_000 - $0 - 100)"], of: old) }),
    ("announced as longer", { partial($0, ["Content-Length": "\(200_000 - $0 + 5)"], of: old + Data(count: 5)) }),
  ]

  @Test(arguments: unusable.map(\.0)) func rangeThatDoesNotContinueTheFileStartsAgain(name: String) async throws {
    let answer = try #require(Self.unusable.first { $0.0 == name }?.1)
    let (log, data, ranges) = try await run(answer: answer)
    #expect(ranges == [nil, "bytes=\(Self.stop)-", nil])
    #expect(log.error == nil)
    #expect(log.resumed.first?.first == 0)
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.new) == nil)
    #expect(log.written.last?.dropFirst() == [150_000, 150_000])
    #expect(try !FileManager.default.fileExists(atPath: Downloads.partialFile(data).path))
  }

  /// The part, with the status of the whole.
  private static func unmarked(
    _ start: Int, _ fields: HTTPFields, _ lines: String..., of body: Data = old
  ) -> HTTPResponse {
    var response = partial(start, fields, of: body)
    if !lines.isEmpty { response.fields["ETag"] = nil }
    for line in lines {
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      response.fields.list.append((name: parts[0], value: parts[1]))
    }
    response.status = 200
    return response
  }

  @Test func aPartWithTheStatusOfTheWholeContinuesTheFile() async throws {
    for isChunked in [false, true] {
      let (log, _, ranges) = try await run { start in
        var response = Self.unmarked(start, [:])
        if isChunked { response.beChunked() }
        return response
      }
      #expect(ranges == [nil, "bytes=\(Self.stop)-"])
      #expect(log.error == nil && log.resumed == [[Int64(Self.stop), 200_000]])
      #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.old) == nil)
    }
  }

  @Test func aPartWithTheStatusOfTheWholeThatIsCutOffCanBeResumed() async throws {
    let (log, _, _) = try await run { start in
      var response = Self.unmarked(start, [:])
      response.body = response.body.dropLast(100)
      response.beChunked()
      return response
    }
    #expect(log.error?.code == .networkConnectionLost && log.file == nil, "\(log.calls)")
    let data = try #require(log.error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    #expect(try difference(Data(contentsOf: Downloads.partialFile(data)), from: Self.old.dropLast(100)) == nil)
    unlink(try Downloads.partialFile(data).path)
  }

  @Test func wholeAnswerIsTakenAsItIs() async throws {
    let (log, _, ranges) = try await run { _ in HTTPResponse(200, fields: ["ETag": "\"v2\""], body: Self.new) }
    #expect(ranges.count == 2)
    #expect(log.resumed == [[0, 150_000]])
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.new) == nil)
  }

  @Test(arguments: [404, 500, 503]) func refusalIsNeverAppendedAndThePartialFileStays(status: Int) async throws {
    let (log, data, _) = try await run { _ in HTTPResponse(status, text: "sorry") }
    #expect((log.response as? HTTPURLResponse)?.statusCode == status)
    #expect(try Data(contentsOf: #require(log.file)) == Data("sorry".utf8))
    #expect(try difference(Data(contentsOf: Downloads.partialFile(data)), from: Self.old.prefix(Self.stop)) == nil)
    unlink(try Downloads.partialFile(data).path)
  }

  @Test func rangeThatDoesNotRepeatTheLengthIsTaken() async throws {
    let (log, _, _) = try await run { start in
      HTTPResponse(
        206,
        fields: [
          "Content-Range": "bytes \(start)-\(Self.old.count - 1)/*", "Content-Length": "\(Self.old.count - start)",
          "ETag": "\"v1\"",
        ],
        body: Self.old.dropFirst(start))
    }
    #expect(log.resumed == [[Int64(Self.stop), 200_000]])
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.old) == nil)
  }

  /// Without a length in the head only the body shows that it does not fit.
  @Test func aBodyThatIsTooShortIsNotTheRest() async throws {
    let (log, _, ranges) = try await run { start in
      var response = Self.partial(start, [:], of: Self.old)
      response.body = response.body.dropLast(100)
      response.beChunked()
      return response
    }
    #expect(ranges == [nil, "bytes=\(Self.stop)-"])
    #expect(log.error?.code == .networkConnectionLost && log.file == nil, "\(log.calls)")
    // What came is good: a third download needs the last bytes only.
    let data = try #require(log.error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    #expect(try difference(Data(contentsOf: Downloads.partialFile(data)), from: Self.old.dropLast(100)) == nil)
    unlink(try Downloads.partialFile(data).path)
  }

  @Test func bytesBehindTheRangeAreNeverWritten() async throws {
    let (log, _, _) = try await run { start in
      var response = Self.partial(start, [:], of: Self.old)
      response.body += Data(count: 5)
      response.beChunked()
      return response
    }
    #expect(log.error?.code == .badServerResponse && log.file == nil, "\(log.calls)")
    #expect(log.error?.failingURL?.path == "/file")
    // The body cannot be trusted; what was there before it can.
    let data = try #require(log.error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    #expect(try difference(Data(contentsOf: Downloads.partialFile(data)), from: Self.old.prefix(Self.stop)) == nil)
    unlink(try Downloads.partialFile(data).path)
  }

  @Test func theWholeInACodedFormIsDecoded() async throws {
    let coded = try await Command.run("/bin/gzip", ["-c"], input: Self.new).output
    let (log, _, ranges) = try await run { _ in
      HTTPResponse(200, fields: ["ETag": "\"v2\"", "Content-Encoding": "gzip"], body: coded)
    }
    #expect(ranges.count == 2 && log.error == nil)
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.new) == nil)
  }

  @Test func aPartThatNobodyAskedForIsNotTakenForTheWhole() async throws {
    let isFirst = Watched(true)
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      if isFirst.update({ first in
        defer { first = false }; return first
      }) {
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(Self.old.count)\r\n\r\n")
        return try connection.send(Self.old.prefix(Self.stop))
      }
      // One off, also where the whole is asked for.
      try connection.send(Self.partial(Self.stop + 1, [:], of: Self.old))
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(from: server.url("/file")) }
    let log = try await Downloads.resume(
      #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data), in: directory)
    #expect(log.error?.code == .badServerResponse && log.file == nil, "\(log.calls)")
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=\(Self.stop)-", nil])
  }

  @Test func aPartThatNobodyAskedForLeavesNothingToResume() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send(
        "HTTP/1.1 206 Part\r\nETag: \"v1\"\r\nContent-Range: bytes 500-999/1000\r\nContent-Length: 500\r\n\r\n")
      try connection.send(Self.old[500..<700])
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(from: server.url("/file")) }
    #expect(error.code == .networkConnectionLost)
    #expect(error.userInfo[NSURLSessionDownloadTaskResumeData] == nil)
  }

  @Test func redirectOfTheResumedRequestIsFollowedWithItsRange() async throws {
    let body = Self.old
    let isFirst = Watched(true)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if request.target == "/start" { return try connection.send(.redirect(to: "/file")) }
      if isFirst.update({ first in
        defer { first = false }; return first
      }) {
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(body.count)\r\n\r\n")
        return try connection.send(body.prefix(Self.stop))
      }
      let start = try #require(request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) })
      try connection.send(Self.partial(start, [:], of: body))
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(from: server.url("/start")) }
    let data = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[Int64(Self.stop), 200_000]])
    #expect(try difference(Data(contentsOf: #require(log.file)), from: body) == nil)
  }
}
