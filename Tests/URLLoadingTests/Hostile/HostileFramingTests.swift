import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Servers that close where they must not, or lie about the length of their body.
@Suite(.timeLimit(.minutes(4))) struct HostileFramingTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"

  static let closes: [Hostility] = [
    Hostility("closes before it answers", .failure(.networkConnectionLost), sends: ""),
    Hostility("closes in the status line", .failure(.networkConnectionLost), sends: "HTTP/1.1 20"),
    Hostility("closes in a field", .failure(.networkConnectionLost), sends: ok + "Content-Le"),
    Hostility("closes between fields", .failure(.networkConnectionLost), sends: ok + "Content-Length: 3\r\n"),
    Hostility("closes after the head", .failure(.networkConnectionLost), sends: ok + "Content-Length: 3\r\n\r\n"),
    Hostility("closes in the body", .failure(.networkConnectionLost), sends: ok + "Content-Length: 10\r\n\r\nabc"),
    Hostility("closes before the first chunk", .failure(.networkConnectionLost), sends: chunked("")),
    Hostility("closes in a chunk's size", .failure(.networkConnectionLost), sends: chunked("1")),
    Hostility("closes in a chunk", .failure(.networkConnectionLost), sends: chunked("5\r\nab")),
    Hostility("leaves the last chunk out", .failure(.networkConnectionLost), sends: chunked("3\r\nabc\r\n")),
    Hostility("closes in the trailers", .failure(.networkConnectionLost), sends: chunked("3\r\nabc\r\n0\r\nX-A: 1")),
    Hostility("resets before it answers", .failure(.networkConnectionLost)) { $0.reset() },
    Hostility("resets in the head", .failure(.networkConnectionLost)) { connection in
      try connection.send(ok + "X-A: 1\r\n")
      connection.reset()
    },
    Hostility("resets in the body", .failure(.networkConnectionLost)) { connection in
      try connection.send(ok + "Content-Length: 100000\r\n\r\n" + String(repeating: "a", count: 1000))
      connection.reset()
    },
    Hostility("ends a body without a length by closing", .success(200, "abc"), sends: ok + "\r\nabc"),
  ]

  static let lengths: [Hostility] = [
    Hostility("Content-Length too short", .success(200, "ab"), sends: ok + "Content-Length: 2\r\n\r\nabcdef"),
    Hostility("negative Content-Length", .failure(.cannotParseResponse), sends: ok + "Content-Length: -5\r\n\r\nabc"),
    Hostility("Content-Length no number", .failure(.cannotParseResponse), sends: ok + "Content-Length: x\r\n\r\nabc"),
    Hostility(
      "Content-Length beyond 64 bits", .failure(.cannotParseResponse),
      sends: ok + "Content-Length: 99999999999999999999999\r\n\r\nabc"),
    Hostility(
      "Content-Length as large as can be", .failure(.cannotParseResponse),
      sends: ok + "Content-Length: 9223372036854775807\r\n\r\nabc"),
    Hostility(
      "two different Content-Lengths", .failure(.cannotParseResponse),
      sends: ok + "Content-Length: 3\r\nContent-Length: 6\r\n\r\nabcdef"),
    Hostility(
      "a list of different Content-Lengths", .failure(.cannotParseResponse),
      sends: ok + "Content-Length: 3, 6\r\n\r\nabcdef"),
    Hostility(
      "the same Content-Length twice", .success(200, "abc"),
      sends: ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    Hostility(
      "Content-Length with Transfer-Encoding", .success(200, "abc"),
      sends: ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    Hostility(
      "a response after the response", .success(200, "abc"),
      sends: ok + "Content-Length: 3\r\n\r\nabc" + ok + "Content-Length: 4\r\n\r\nevil"),
    Hostility(
      "garbage after the last chunk", .success(200, "abc"), sends: chunked("3\r\nabc\r\n0\r\n\r\n") + ok + "\r\nevil"),
    Hostility(
      "204 with a body", .success(204, ""), sends: "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil"),
    Hostility("304 with a body", .success(304, ""), sends: "HTTP/1.1 304 x\r\nContent-Length: 4\r\n\r\nevil"),
    Hostility("HEAD with a body", .success(200, ""), method: "HEAD", sends: ok + "Content-Length: 4\r\n\r\nevil"),
  ]

  static let chunks: [Hostility] = [
    Hostility("chunk size ffffffffffffffff", .failure(.cannotParseResponse), sends: chunked("ffffffffffffffff\r\nabc")),
    Hostility(
      "chunk size 7fffffffffffffff", .failure(.networkConnectionLost), sends: chunked("7fffffffffffffff\r\nab")),
    Hostility(
      "chunk size with 17 digits", .failure(.cannotParseResponse), sends: chunked("10000000000000000\r\na\r\n")),
    Hostility(
      "chunk size that is no number", .failure(.cannotParseResponse), sends: chunked("xyz\r\nabc\r\n0\r\n\r\n")),
    Hostility("negative chunk size", .failure(.cannotParseResponse), sends: chunked("-3\r\nabc\r\n0\r\n\r\n")),
    Hostility("empty chunk size", .failure(.cannotParseResponse), sends: chunked("\r\nabc\r\n0\r\n\r\n")),
    Hostility("chunk longer than its size", .failure(.cannotParseResponse), sends: chunked("2\r\nabc\r\n0\r\n\r\n")),
  ]

  private static func chunked(_ body: String) -> String { ok + "Transfer-Encoding: chunked\r\n\r\n" + body }

  @Test(arguments: closes, LoadKind.allCases)
  func aConnectionThatEndsEarlyIsLost(_ hostility: Hostility, _ kind: LoadKind) async throws {
    try await hostility.check(as: kind)
  }

  @Test(arguments: lengths, LoadKind.allCases)
  func aLieAboutTheLengthDoesNoHarm(_ hostility: Hostility, _ kind: LoadKind) async throws {
    try await hostility.check(as: kind)
  }

  @Test(arguments: chunks, LoadKind.allCases)
  func aBadChunkSizeIsAnError(_ hostility: Hostility, _ kind: LoadKind) async throws {
    try await hostility.check(as: kind)
  }
}
