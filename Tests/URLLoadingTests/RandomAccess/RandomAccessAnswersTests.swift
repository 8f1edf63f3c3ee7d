import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What servers may answer that is wrong.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessAnswersTests {
  private let session = URLSession(configuration: .ephemeral)

  @Test func everyRequestHasTheCallersFieldsAndTheCondition() async throws {
    let server = try RangeServer()
    var request = URLRequest(url: server.url)
    request.setValue("here", forHTTPHeaderField: "X-Test")
    request.setValue("bytes=5-6", forHTTPHeaderField: "Range")
    request.setValue("\"other\"", forHTTPHeaderField: "If-Range")
    let resource = try await session.randomAccess(to: request, options: .small())
    #expect(try await resource.read(at: 7500, count: 1) == server.body[7500...7500])
    #expect(server.ranges == ["bytes=0-999", "bytes=7000-7999"])
    #expect(server.server.requests.map { $0.fields["If-Range"] } == [nil, "\"v1\""])
    for request in server.server.requests {
      #expect(request.fields["X-Test"] == "here" && request.fields["Accept-Encoding"] == "identity")
    }
  }

  @Test func aDateIsAConditionToo() async throws {
    let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    let server = try RangeServer(tag: nil, modified: date) { _, response, _ in
      response.fields["Date"] = "Wed, 15 Nov 2023 22:13:20 GMT"
    }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    #expect(try await resource.read(at: 7500, count: 1) == server.body[7500...7500])
    #expect(server.server.requests.last?.fields["If-Range"] == date)
  }

  static let changes: [(String, @Sendable (inout HTTPResponse) -> Void)] = [
    ("the whole", { $0 = HTTPResponse(200, fields: ["ETag": "\"v1\""], body: TestFiles.pattern(count: 200_000)) }),
    ("another entity tag", { $0.fields["ETag"] = "\"v2\"" }),
    ("no entity tag", { $0.fields["ETag"] = nil }),
    ("another length", { $0.fields["Content-Range"] = "bytes 50000-50999/200001" }),
    ("another range", { $0.fields["Content-Range"] = "bytes 50001-51000/200000" }),
    ("a shorter range", { $0.fields["Content-Range"] = "bytes 50000-50998/200000" }),
    ("no Content-Range", { $0.fields["Content-Range"] = nil }),
    ("416", { $0 = HTTPResponse(416, fields: ["Content-Range": "bytes */40000"]) }),
  ]

  @Test(arguments: 0..<8) func aChangeEndsAllReads(number: Int) async throws {
    let (what, change) = Self.changes[number]
    let server = try RangeServer { number, response, _ in if number == 2 { change(&response) } }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    #expect(try await resource.read(at: 0, count: 10) == server.body[0..<10])
    let error = try await #require(throws: URLError.self, "\(what)") { try await resource.read(at: 50_500, count: 5) }
    #expect(error.code == .resourceUnavailable, "\(what): \(error.localizedDescription)")
    #expect(error.failingURL == server.url)
    #expect(error.localizedDescription.contains("changed while it was read"), "\(error.localizedDescription)")
    #expect(error.localizedDescription.contains(server.url.absoluteString))
    // Also what is in memory; and there are no more requests.
    for offset in [Int64(0), 100_000] {
      let later = try await #require(throws: URLError.self) { try await resource.read(at: offset, count: 5) }
      #expect(later.code == .resourceUnavailable)
      let reader = resource.makeReader()
      await #expect(throws: URLError.self) { try await reader.bytes(at: offset, count: 5) }
    }
    #expect(server.ranges.count == 2)
  }

  @Test func aChangeEndsReadsThatWait() async throws {
    let go = AsyncEvent()
    let server = try RangeServer { number, response, _ in
      if number == 2 { _ = go.waitBlocking() }
      if number == 3 { response.fields["ETag"] = "\"v2\"" }
    }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let waiting = Task { try await resource.read(at: 20_000, count: 5) }
    #expect(await server.server.waitForRequests(2))
    await #expect(throws: URLError.self) { try await resource.read(at: 50_000, count: 5) }
    let error = try await #require(throws: URLError.self) { try await waiting.value }
    #expect(error.code == .resourceUnavailable)
    go.signal()
  }

  static let failures: [(String, URLError.Code, @Sendable (inout HTTPResponse, Connection) throws -> Void)] = [
    ("503", .badServerResponse, { response, _ in response = HTTPResponse(503, text: "later") }),
    ("404", .fileDoesNotExist, { response, _ in response = HTTPResponse(404, text: "gone") }),
    (
      "short body", .networkConnectionLost,
      { response, connection in
        response.fields["Content-Length"] = "1000"
        try connection.send(response.encoded().dropLast(100))
        connection.close()
        throw RangeServer.Done()
      }
    ),
    (
      "short body that claims to be all", .networkConnectionLost,
      { response, _ in
        response.body = response.body.dropLast(100)
        response.beChunked()
      }
    ),
    ("announced as short", .badServerResponse, { response, _ in response.body = response.body.dropLast(100) }),
    ("announced as long", .badServerResponse, { response, _ in response.body += Data(count: 100) }),
    ("a coding", .badServerResponse, { response, _ in response.fields["Content-Encoding"] = "gzip" }),
    (
      "no answer", .networkConnectionLost,
      { _, connection in
        connection.reset()
        throw RangeServer.Done()
      }
    ),
  ]

  @Test(arguments: 0..<8) func aFailureEndsOneRead(number: Int) async throws {
    let (what, code, change) = Self.failures[number]
    let server = try RangeServer { number, response, connection in
      // A lost connection is tried once more by itself.
      if (2...3).contains(number) { try change(&response, connection) }
    }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    #expect(try await resource.read(at: 0, count: 10) == server.body[0..<10])
    let error = try await #require(throws: URLError.self, "\(what)") { try await resource.read(at: 50_500, count: 5) }
    #expect(error.code == code, "\(what): \(error.localizedDescription)")
    #expect(error.failingURL == server.url)
    #expect(try await resource.read(at: 0, count: 10) == server.body[0..<10])
    let isGood = try await eventually(timeout: .seconds(5)) {
      (try? await resource.read(at: 50_500, count: 5)) == server.body[50_500..<50_505]
    }
    #expect(isGood, "\(what)")
  }

  /// Parts of a coded form are no parts of the file: all of it is loaded and decoded.
  @Test func aServerThatHasRangesOfACodedFormOnlyGivesTheWhole() async throws {
    let body = TestFiles.pattern(count: 50_000, seed: 22)
    let coded = try await Command.run("/bin/gzip", ["-c"], input: body).output
    let server = try ScriptedServer.http { request in
      let fields: HTTPFields = ["ETag": "\"v1\"", "Content-Encoding": "gzip"]
      guard request.fields["Range"] != nil else { return HTTPResponse(fields: fields, body: coded) }
      var response = HTTPResponse(206, fields: fields, body: coded.prefix(1000))
      response.fields["Content-Range"] = "bytes 0-999/\(coded.count)"
      return response
    }
    let resource = try await session.randomAccess(to: server.url(), options: .small())
    #expect(resource.length == 50_000 && !resource.hasByteRanges)
    #expect(try await difference(resource.read(at: 20_000, count: 10), from: body[20_000..<20_010]) == nil)
    #expect(server.requests.map { $0.fields["Range"] } == ["bytes=0-999", nil])
  }

  @Test func theWholeInACodedFormIsDecoded() async throws {
    let body = TestFiles.pattern(count: 50_000, seed: 22)
    let coded = try await Command.run("/bin/gzip", ["-c"], input: body).output
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Content-Encoding": "gzip"], body: coded) }
    let resource = try await session.randomAccess(to: server.url(), options: .small())
    #expect(resource.length == 50_000)
    #expect(try await difference(resource.read(at: 20_000, count: 10), from: body[20_000..<20_010]) == nil)
  }

  @Test func aServerThatGivesPartsOfACodedFormAlwaysIsRefused() async throws {
    let server = try RangeServer { _, response, _ in
      response = HTTPResponse(
        206, fields: ["Content-Range": "bytes 0-999/200000", "Content-Encoding": "gzip"], body: Data(count: 1000))
    }
    let error = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url, options: .small())
    }
    #expect(error.code == .badServerResponse && error.failingURL == server.url, "\(error.localizedDescription)")
    #expect(server.ranges.count == 2)
  }

  @Test func firstAnswersThatCannotBeUsed() async throws {
    let changes: [@Sendable (inout HTTPResponse) -> Void] = [
      { $0.fields["Content-Range"] = nil }, { $0.fields["Content-Range"] = "bytes 1-1000/200000" },
      { $0.fields["Content-Range"] = "bytes 0-999/*" }, { $0 = HTTPResponse(500, text: "no") },
      { $0 = HTTPResponse(304) }, { $0.body += Data([1]) },
      { $0.fields["Content-Range"] = "bytes 0-999/99999999999999999999999" },
    ]
    for change in changes {
      let server = try RangeServer { _, response, _ in change(&response) }
      let error = try await #require(throws: URLError.self) {
        try await session.randomAccess(to: server.url, options: .small())
      }
      #expect(error.code == .badServerResponse && error.failingURL == server.url, "\(error.localizedDescription)")
    }
  }

  /// Of a server that refuses the last bytes, or sends others, the first are requested, and once all.
  @Test(arguments: [400, 416, 501, 206], [true, false])
  func aServerWithoutSuffixRanges(status: Int, hasOthers: Bool) async throws {
    let server = try RangeServer { number, response, _ in
      if number == 1 || (number == 2 && !hasOthers) {
        response = HTTPResponse(status == 206 && number > 1 ? 501 : status, text: "no")
        if status == 206, number == 1 { response.fields["Content-Range"] = "bytes 0-1/200000" }
      }
    }
    let resource = try await session.randomAccess(to: server.url, options: .small(first: .suffix(1000)))
    #expect(resource.length == 200_000 && resource.hasByteRanges == hasOthers)
    #expect(try await resource.read(at: 199_990, count: 10) == server.body[199_990...])
    #expect(server.ranges.prefix(3) == ["bytes=-1000", "bytes=0-999", hasOthers ? "bytes=199000-199999" : "none"])
    #expect(server.ranges.count == 3)
  }

  @Test func aServerThatRefusesEveryRangeGivesTheWhole() async throws {
    let server = try RangeServer { number, response, _ in if number == 1 { response = HTTPResponse(501, text: "no") } }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    #expect(resource.length == 200_000 && !resource.hasByteRanges)
    #expect(server.ranges == ["bytes=0-999", "none"])
  }

  @Test func aServerThatRefusesEverythingIsAskedThreeTimes() async throws {
    let server = try RangeServer { _, response, _ in response = HTTPResponse(400, text: "no") }
    let error = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url, options: .small(first: .suffix(1000)))
    }
    #expect(error.code == .badServerResponse && error.localizedDescription.contains("400"), "\(error)")
    #expect(server.ranges == ["bytes=-1000", "bytes=0-999", "none"])
  }

  @Test func aFirstBodyThatIsTooShortFailsItsReads() async throws {
    let server = try RangeServer { number, response, _ in
      guard number == 1 else { return }
      response.body = response.body.dropLast(1)
      response.beChunked()
    }
    let resource = try await session.randomAccess(to: server.url, options: .small(first: .beginning(3000)))
    // The load may be over before the read begins, which then asks again.
    let first = try? await resource.read(at: 0, count: 3000)
    #expect(first == nil || first == server.body[0..<3000])
    #expect(try await resource.read(at: 0, count: 3000) == server.body[0..<3000])
  }

  @Test func readersOfOneBlockShareItsLoad() async throws {
    let go = AsyncEvent()
    let server = try RangeServer { number, _, _ in if number == 2 { _ = go.waitBlocking() } }
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let reading = (0..<20).map { number in
      Task {
        number.isMultiple(of: 2)
          ? try await resource.read(at: Int64(60_000 + number), count: 10)
          : try await resource.makeReader().bytes(at: Int64(60_000 + number), count: 10)
      }
    }
    #expect(await server.server.waitForRequests(2))
    go.signal()
    for (number, task) in reading.enumerated() {
      #expect(try await task.value == server.body[60_000 + number..<60_010 + number])
    }
    #expect(server.ranges == ["bytes=0-999", "bytes=60000-60999"])
  }
}
