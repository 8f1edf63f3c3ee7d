import Foundation
import Testing
import URLLoadingTestServers

/// Answers to the request of a load that broke off and resumes.
@Suite struct RetryAnswersTests {
  private static let body = TestFiles.pattern(count: 1000, seed: 31)
  /// What has other bytes at each place.
  private static let other = TestFiles.pattern(count: 2000, seed: 32)

  /// A server whose first answer ends after 500 of 1,000 bytes; answers with `answer` to requests that have a range, and with
  /// the whole to others.
  private static func server(
    answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if connection.number == 1 {
        try connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n")
        return try connection.send(body.prefix(500))
      }
      let isRange = request.fields["Range"] != nil
      try connection.send(isRange ? answer(request) : HTTPResponse(fields: ["ETag": "\"a\""], body: body), to: request)
    }
  }

  private static func part(_ range: String?, _ fields: HTTPFields = [:], _ bytes: Data) -> HTTPResponse {
    var response = HTTPResponse(206, fields: ["ETag": "\"a\""], body: bytes)
    response.fields["Content-Range"] = range
    for field in fields.list { response.fields[field.name] = field.value.isEmpty ? nil : field.value }
    return response
  }

  /// With the status of the whole.
  private static func whole(_ range: String?, _ fields: HTTPFields = [:], _ bytes: Data) -> HTTPResponse {
    var response = part(range, fields, bytes)
    response.status = 200
    return response
  }

  @Test func aPartWithTheStatusOfTheWholeContinues() async throws {
    for arguments in [["-o", "a"], []] {
      let server = try Self.server { _ in Self.whole("bytes 500-999/1000", [:], Self.body[500...]) }
      let folder = try TemporaryDirectory("urlload")
      let outcome = try await Urlload.run(["--retry", "2"] + arguments + [server.url().absoluteString], in: folder)
      #expect(outcome.status == .exited(0), "\(outcome.error)")
      let found = arguments.isEmpty ? outcome.output : try Data(contentsOf: folder.file("a"))
      #expect(TestFiles.firstDifference(found, Self.body) == nil)
      #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=500-"])
    }
  }

  static let strangers: [(name: String, response: HTTPResponse)] = [
    ("another entity tag", part("bytes 500-999/1000", ["ETag": "\"b\""], other[500..<1000])),
    ("one byte off", part("bytes 501-999/1000", body[501...])),
    ("no Content-Range", part(nil, body[500...])),
    (
      "several parts",
      part(nil, ["Content-Type": "multipart/byteranges; boundary=x"], Data("--x\r\n\r\nabc\r\n--x--".utf8))
    ),
    ("less than the rest", part("bytes 500-899/1000", body[500..<900])),
    ("another length", part("bytes 500-1999/2000", other[500...])),
    ("a coding", part("bytes 500-999/1000", ["Content-Encoding": "gzip"], other[500..<1000])),
    ("no entity tag", part("bytes 500-999/1000", ["ETag": ""], other[500..<1000])),
    ("another unit", part("lines 500-999/1000", body[500...])),
    ("announced as shorter", part("bytes 500-999/1000", body[500..<900])),
    ("announced as longer", part("bytes 500-999/1000", body[500...] + Data(count: 5))),
    ("status 200 and no entity tag", whole("bytes 500-999/1000", ["ETag": ""], other[500..<1000])),
    ("status 200 and another entity tag", whole("bytes 500-999/1000", ["ETag": "\"b\""], other[500..<1000])),
    ("status 200 and another length", whole("bytes 500-1999/2000", [:], other[500...])),
    ("status 200 and no range", whole("bytes */1000", [:], other[500..<1000])),
    ("no such range", HTTPResponse(416, fields: ["Content-Range": "bytes */400"], text: "no")),
  ]

  @Test(arguments: strangers.map(\.name)) func whatDoesNotContinueIsNotJoined(name: String) async throws {
    let response = try #require(Self.strangers.first { $0.name == name }?.response)
    let server = try Self.server { _ in response }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "2", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=500-", nil])
  }

  @Test(arguments: strangers.map(\.name)) func onStandardOutputItIsAFailure(name: String) async throws {
    let response = try #require(Self.strangers.first { $0.name == name }?.response)
    let server = try Self.server { _ in response }
    let outcome = try await Urlload.run(["--retry", "2", server.url().absoluteString])
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(outcome.output == Self.body.prefix(500))
    #expect(outcome.error.contains("-o"), "\(outcome.error)")
  }

  /// Without a length in the head only the body shows that it does not fit.
  @Test func aBodyThatIsTooLongIsNotJoined() async throws {
    let server = try Self.server { _ in
      Self.part("bytes 500-999/1000", Self.other[500..<1005]).chunked
    }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "2", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
    let tail = try Self.server { _ in
      Self.part("bytes 500-999/1000", Self.body[500...] + Data(count: 5)).chunked
    }
    let piped = try await Urlload.run(["--retry", "2", tail.url().absoluteString])
    #expect(piped.status == .exited(10), "\(piped.error)")
    #expect(piped.output.count <= 1000 && Self.body.starts(with: piped.output))
  }

  @Test func aBodyThatIsTooShortIsResumedWhereItEnded() async throws {
    let server = try Self.server { request in
      request.fields["Range"] == "bytes=500-"
        ? Self.part("bytes 500-999/1000", Self.body[500..<900]).chunked
        : Self.part("bytes 900-999/1000", Self.body[900...])
    }
    let outcome = try await Urlload.run(["--retry", "2", server.url().absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(TestFiles.firstDifference(outcome.output, Self.body) == nil)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=500-", "bytes=900-"])
  }

  @Test func aServerThatKeepsContradictingEndsTheLoad() async throws {
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      guard request.fields["Range"] == nil else {
        // A part that was stored would be completed from its beginning (RFC 9111, section 3.4).
        return try connection.send(
          Self.part("bytes 501-999/1000", ["Cache-Control": "no-store"], Self.body[501...]))
      }
      try connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n")
      try connection.send(Self.body.prefix(500))
    }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "3", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(try Urlload.names(in: folder).isEmpty)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=500-", nil, "bytes=500-"])
  }

  @Test func aPartThatNobodyAskedForIsNotTakenForTheWhole() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      guard connection.number > 1 else {
        try connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n")
        return try connection.send(Self.body.prefix(500))
      }
      try connection.send(Self.part("bytes 501-999/1000", Self.body[501...]))
    }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "4", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(try Urlload.names(in: folder).isEmpty)
  }

  /// All bytes of the range are there, and yet the answer broke off: there is nothing to ask for after them.
  @Test func nothingIsAskedForBehindARange() async throws {
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      guard request.fields["Range"] == "bytes=0-99" else {
        return try connection.send(Self.part("bytes 100-100/1000", Self.body[100...100]))
      }
      guard connection.number == 1 else { return try connection.send(Self.part("bytes 0-99/1000", Self.body[..<100])) }
      try connection.send(
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-99/1000\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(Self.body[..<100])
    }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(
      ["--retry", "1", "-r", "0-99", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try Data(contentsOf: folder.file("a")) == Self.body[..<100])
  }
}

extension RetryAnswersTests {
  private static func part(_ range: String?, _ bytes: Data) -> HTTPResponse { part(range, [:], bytes) }
}
