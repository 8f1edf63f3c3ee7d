import Foundation
import Testing
import URLLoadingTestServers

/// Answers to `-r`, and parts that nobody asked for.
@Suite struct RangeAnswersTests {
  private static let body = TestFiles.pattern(count: 1000, seed: 33)

  private static func part(_ range: String?, _ bytes: Data) -> HTTPResponse {
    var response = HTTPResponse(206, fields: ["ETag": "\"a\""], body: bytes)
    response.fields["Content-Range"] = range
    return response
  }

  static let strangers: [(name: String, response: HTTPResponse)] = [
    ("another range", part("bytes 100-199/1000", body[100..<200])),
    ("more", part("bytes 0-199/1000", body[..<200])),
    ("less", part("bytes 0-49/1000", body[..<50])),
    ("less, of nobody knows how much", part("bytes 0-49/*", body[..<50])),
    ("announced as longer", part("bytes 0-99/1000", body[..<300])),
    ("longer", part("bytes 0-99/1000", body[..<300]).chunked),
    ("announced as shorter", part("bytes 0-99/1000", body[..<50])),
    ("shorter", part("bytes 0-99/1000", body[..<50]).chunked),
    ("no Content-Range", part(nil, body[..<100])),
    ("another unit", part("lines 0-99/1000", body[..<100])),
    (
      "a coding",
      HTTPResponse(
        206, fields: ["Content-Range": "bytes 0-99/1000", "Content-Encoding": "gzip"], body: body[..<100])
    ),
  ]

  @Test(arguments: strangers.map(\.name)) func whatWasNotAskedForIsRefused(name: String) async throws {
    let response = try #require(Self.strangers.first { $0.name == name }?.response)
    let server = try ScriptedServer.http { _ in response }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["-r", "0-99", "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(try Urlload.names(in: folder).isEmpty)
    #expect(outcome.error.contains(server.url().absoluteString), "\(outcome.error)")
    let piped = try await Urlload.run(["-r", "0-99", server.url().absoluteString])
    #expect(piped.status == .exited(10), "\(piped.error)")
    #expect(piped.output.count <= 100, "bytes beyond the range were written")
  }

  @Test(arguments: [
    ("0-99", "bytes 0-99/1000", 0..<100), ("0-99", "bytes 0-99/*", 0..<100),
    ("900-1099", "bytes 900-999/1000", 900..<1000),
    ("-100", "bytes 900-999/1000", 900..<1000), ("900-", "bytes 900-999/1000", 900..<1000),
    ("-2000", "bytes 0-999/1000", 0..<1000),
  ]) func whatWasAskedForIsTaken(asked: String, range: String, bytes: Range<Int>) async throws {
    for (isChunked, status) in [(false, 206), (true, 206), (false, 200)] {
      // With status 200 the whole is to be known by its length, and the version by a validator.
      if status == 200, range.hasSuffix("*") || bytes.count == 1000 { continue }
      let server = try ScriptedServer.http { _ in
        var response = Self.part(range, Self.body[bytes])
        (response.status, response.fields["ETag"]) = (status, "\"a\"")
        return isChunked ? response.chunked : response
      }
      let outcome = try await Urlload.run(["-r", asked, server.url().absoluteString])
      #expect(outcome.status == .exited(0), "\(outcome.error)")
      #expect(TestFiles.firstDifference(outcome.output, Self.body[bytes]) == nil)
    }
  }

  @Test(arguments: [[], ["-r", "0-99"]]) func theWholeOfNothingIsTaken(options: [String]) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse() }
    let outcome = try await Urlload.run(options + [server.url().absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
  }

  @Test(arguments: ["bytes 500-999/1000", "bytes 0-999/1000", ""]) func aPartThatNobodyAskedForIsRefused(
    range: String
  ) async throws {
    let server = try ScriptedServer.http { _ in Self.part(range.isEmpty ? nil : range, Self.body[500...]) }
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(10), "\(outcome.error)")
    #expect(try Urlload.names(in: folder).isEmpty)
  }

  @Test func aFieldOfTheUsersAsksForAPartToo() async throws {
    let server = try ScriptedServer.http { request in
      request.fields["Range"] == "bytes=0-1,4-5"
        ? HTTPResponse(206, fields: ["Content-Type": "multipart/byteranges; boundary=x"], text: "--x--")
        : Self.part("bytes 0-9/1000", Self.body[..<10])
    }
    let one = try await Urlload.run(["-H", "Range: bytes=0-9", server.url().absoluteString])
    #expect(one.output == Self.body[..<10], "\(one.error)")
    let several = try await Urlload.run(["-H", "Range: bytes=0-1,4-5", server.url().absoluteString])
    #expect(several.text == "--x--", "\(several.error)")
    let wrong = try await Urlload.run(["-H", "Range: bytes=10-19", server.url().absoluteString])
    #expect(wrong.status == .exited(10), "\(wrong.error)")
  }
}

extension HTTPResponse {
  /// The same, with a body whose length no field announces.
  var chunked: HTTPResponse {
    var response = self
    response.fields["Transfer-Encoding"] = "chunked"
    response.body = Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8)
    return response
  }
}
