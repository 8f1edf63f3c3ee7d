import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Servers that take their time.
@Suite(.timeLimit(.minutes(4))) struct HostileTimingTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"

  static let silences: [Hostility] = [
    silent("silence instead of an answer", ""),
    silent("silence in the status line", "HTTP/1."),
    silent("silence in the head", ok + "X-A: 1\r\n"),
    silent("silence instead of the body", ok + "Content-Length: 3\r\n\r\n"),
    silent("silence in the body", ok + "Content-Length: 3\r\n\r\na"),
    silent("silence after an informational response", "HTTP/1.1 100 Continue\r\n\r\n"),
    silent("silence in a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\na"),
    silent("silence instead of a body without a length", ok + "\r\n"),
  ]

  private static func silent(_ name: String, _ bytes: String) -> Hostility {
    Hostility(name, .failure(.timedOut), timeout: 0.3) { connection in
      try connection.send(bytes)
      _ = connection.waitForPeerClose()
    }
  }

  @Test(arguments: silences, LoadKind.allCases)
  func noBytesForTheTimeoutTimeOut(_ hostility: Hostility, _ kind: LoadKind) async throws {
    let start = ContinuousClock.now
    try await hostility.check(as: kind)
    #expect(start.duration(to: .now) > .milliseconds(300))
  }

  @Test(arguments: LoadKind.allCases)
  func aTrickleFasterThanTheTimeoutIsFine(_ kind: LoadKind) async throws {
    let hostility = Hostility("a trickle", .success(200, "0123456789"), timeout: 5) { connection in
      try connection.send(Self.ok + "Content-Length: 10\r\n\r\n")
      for digit in "0123456789" {
        // The pace is what is tested: ten bytes take longer than the timeout.
        Thread.sleep(forTimeInterval: 0.55)
        try connection.send(String(digit))
      }
    }
    let start = ContinuousClock.now
    try await hostility.check(as: kind)
    #expect(start.duration(to: .now) > .seconds(5))
  }

  @Test(arguments: LoadKind.allCases)
  func theResourceTimeoutEndsATrickle(_ kind: LoadKind) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(Self.ok + "\r\n")
      for _ in 0..<200 {
        try connection.send("a")
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    let client = RecordedSession { $0.timeoutIntervalForResource = 0.6 }
    let start = ContinuousClock.now
    let record = await client.load(server.url(), as: kind)
    #expect(record.code == .timedOut && record.completions == 1)
    #expect((record.error as? URLError)?.failingURL == server.url())
    #expect(start.duration(to: .now) < .seconds(5))
  }

  @Test(arguments: LoadKind.allCases)
  func aServerThatNeverAcceptsTimesOut(_ kind: LoadKind) async throws {
    // It listens, and nobody takes the connection.
    let socket = try ListeningSocket()
    defer { socket.close() }
    let url = try #require(URL(string: "http://127.0.0.1:\(socket.port)/"))
    let record = await RecordedSession().load(URLRequest(url: url, timeoutInterval: 0.3), as: kind)
    #expect(record.code == .timedOut && record.completions == 1)
  }

  @Test(arguments: LoadKind.allCases)
  func aPortThatNobodyListensOnCannotBeConnectedTo(_ kind: LoadKind) async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(try FreePort.pick())/x"))
    let record = await RecordedSession().load(url, as: kind)
    #expect(record.code == .cannotConnectToHost && record.completions == 1)
    #expect((record.error as? URLError)?.failingURL == url)
  }
}
