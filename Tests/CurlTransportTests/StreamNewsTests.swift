import Testing

@testable import URLLoadingCurlTransport

/// Lines of libcurl's log, as its versions have them.
@Suite struct StreamNewsTests {
  private static func news(_ line: String) -> StreamNews? {
    Array(line.utf8).withUnsafeBytes { StreamNews($0) }
  }

  @Test(arguments: [
    ("Using Stream ID: 13 (easy handle 0x55d0c0de)\n", StreamNews.opened(13)),
    ("[HTTP/2] [13] OPENED stream for https://127.0.0.1:1/\n", .opened(13)),
    ("REFUSED_STREAM, retrying a fresh connect\n", .refused),
    ("HTTP/2 stream 13 refused by server, try again on a new connection\n", .refused),
    ("HTTP/3 stream 4 refused by server, try again on a new connection\n", .refused),
    ("recveived GOAWAY, error=0, last_stream=11\n", .goesAway(last: 11)),
    ("received GOAWAY, error=0, last_stream=2147483647\n", .goesAway(last: 2_147_483_647)),
  ])
  func areUnderstood(line: String, news: StreamNews) {
    #expect(Self.news(line) == news)
  }

  @Test(arguments: [
    "", "U", "Using Stream ID: x", "[HTTP/2] [13] [x: OPENED]\n", "[HTTP/2] [OPENED stream for\n",
    "h2h3 [x: REFUSED_STREAM, retrying]\n", "HTTP/2 stream 13 was reset\n", "received GOAWAY, error=0\n",
    "received GOAWAY, error=0, last_stream=\n", "> x: received GOAWAY, error=0, last_stream=1\n",
    "Connection died, retrying a fresh connect (retry count: 1)\n", "received GOAWAY, last_stream=99999999999\n",
  ])
  func othersAreNone(line: String) {
    #expect(Self.news(line) == nil)
  }
}
