import Foundation
import Testing
import URLLoadingTestServers

/// Trying again, and being interrupted.
@Suite struct RetryTests {
  private static let body = TestFiles.pattern(count: 2_000_000, seed: 3)
  private static let fields: HTTPFields = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]

  /// Breaks off after some bytes of the first answer; then gives what a range asks for.
  private static func breaking(changes: Bool = false, ranges: Bool = true) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let range = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
      guard connection.number > 1 else {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nETag: \"v1\"\r\n")
        if ranges { try connection.send("Accept-Ranges: bytes\r\n") }
        try connection.send(Data("\r\n".utf8) + body.prefix(700_001))
        return
      }
      guard let range, !changes, request.fields["If-Range"] == "\"v1\"" else {
        try connection.send(HTTPResponse(fields: fields, body: body), to: request)
        return
      }
      var response = HTTPResponse(206, fields: fields, body: body.dropFirst(range))
      response.fields["Content-Range"] = "bytes \(range)-\(body.count - 1)/\(body.count)"
      try connection.send(response, to: request)
    }
  }

  @Test func resumesWhereItBroke() async throws {
    let server = try Self.breaking()
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "2", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
    #expect(server.requests.count == 2)
    #expect(server.requests.last?.fields["Range"] == "bytes=700001-")
    #expect(outcome.error.contains("attempt 2 of 3"))
  }

  /// RFC 959, section 4.2.1: 4yz is temporary, 5yz is not.
  @Test(arguments: [("425 not now", 2), ("450 busy", 2), ("550 No", 1)])
  func aTemporaryReplyOfFTPIsReasonToTryAgain(reply: String, count: Int) async throws {
    var script = ScriptedFTPServer.Script(file: Data("abc".utf8))
    script.replies["RETR"] = reply
    let server = try ScriptedFTPServer(script)
    let outcome = try await Urlload.run(["--retry", "1", "--retry-delay", "0", server.url().absoluteString])
    #expect(outcome.status != .exited(0))
    #expect(server.count(of: "RETR") == count, "\(outcome.error)")
    await server.stop()
  }

  @Test func resumesOnStandardOutput() async throws {
    let server = try Self.breaking()
    let outcome = try await Urlload.run(["--retry", "1", server.url().absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(TestFiles.firstDifference(outcome.output, Self.body) == nil)
  }

  @Test(arguments: [true, false]) func restartsWhereItCannotResume(changes: Bool) async throws {
    let server = try Self.breaking(changes: changes, ranges: changes)
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--retry", "1", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
  }

  @Test func doesNotMixVersionsOnStandardOutput() async throws {
    let server = try Self.breaking(changes: true)
    let outcome = try await Urlload.run(["--retry", "1", server.url().absoluteString])
    #expect(outcome.status == .exited(10))
    #expect(TestFiles.firstDifference(outcome.output, Self.body.prefix(700_001)) == nil)
  }

  @Test func withoutRetryAPartIsLeft() async throws {
    let server = try Self.breaking()
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["a.part"])
    #expect(server.requests.count == 1)
  }

  @Test func heedsRetryAfter() async throws {
    let answered = Watched(0)
    let server = try ScriptedServer.http { _ in
      answered.update { $0 += 1 }
      return answered.value == 1
        ? HTTPResponse(503, fields: ["Retry-After": "1", "retry-after": "1"], text: "later")
        : HTTPResponse(text: "now")
    }
    let begin = ContinuousClock.now
    let outcome = try await Urlload.run(["--retry", "1", server.url().absoluteString])
    #expect(outcome.text == "now", "\(outcome.error)")
    #expect(begin.duration(to: .now) >= .seconds(1))
  }

  @Test func doesNotRepeatAPost() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(503, text: "no") }
    let outcome = try await Urlload.run(["--retry", "3", "-d", "a", server.url().absoluteString])
    #expect(outcome.status == .exited(8))
    #expect(outcome.text == "no")
    #expect(server.requests.count == 1)
  }

  @Test func repeatsAPostWithAKey() async throws {
    let answered = Watched(0)
    let server = try ScriptedServer.http { _ in
      answered.update { $0 += 1 }
      return HTTPResponse(answered.value == 1 ? 503 : 200, text: "now")
    }
    let outcome = try await Urlload.run([
      "--retry", "1", "--retry-delay", "0", "-d", "a", "-H", "Idempotency-Key: \"1\"", server.url().absoluteString,
    ])
    #expect(outcome.text == "now" && server.requests.count == 2, "\(outcome.error)")
  }

  @Test(arguments: [SIGINT, SIGTERM]) func aSignalLeavesTheOldFileAndAPart(signal: Int32) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "a", count: 5000))
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let folder = try TemporaryDirectory("urlload")
    let log = try TemporaryDirectory("log")
    try folder.write("kept", "old")
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), ["-o", "kept", server.url().absoluteString], directory: folder.url,
      output: log.file("output"), error: log.file("error"))
    let isWriting = try await eventually {
      try Urlload.names(in: folder).contains { name in
        guard name.hasPrefix(".urlload-") else { return false }
        return try Data(contentsOf: folder.file(name)).count == 5000
      }
    }
    #expect(isWriting)
    process.send(signal: signal)
    #expect(await process.waitForExit() == .signalled(signal))
    #expect(try Urlload.names(in: folder) == ["kept", "kept.part"])
    #expect(try String(contentsOf: folder.file("kept"), encoding: .utf8) == "old")
  }
}
