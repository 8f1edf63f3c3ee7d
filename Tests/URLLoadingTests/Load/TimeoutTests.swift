import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Serial, since they measure time.
@Suite(.serialized, .timeLimit(.minutes(4))) struct TimeoutTests {
  private func time(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start).seconds
  }

  @Test func subSecondTimeoutsCount() async throws {
    let server = try ScriptedServer.silent()
    let session = RecordedSession()
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 0.3
    var record = LoadRecord()
    let seconds = await time { record = await session.load(request) }
    #expect(record.code == .timedOut)
    #expect(seconds >= 0.29 && seconds < 3, "\(seconds)")
    #expect(record.error?.localizedDescription.contains("0.3 s") == true)
    #expect((record.error as? URLError)?.failingURL == server.url())
  }

  @Test func dataResetsTheTimeout() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      for _ in 0..<6 {
        _ = connection.waitForPeerClose(timeout: .milliseconds(300))
        try connection.send("x")
      }
    }
    let session = RecordedSession { $0.timeoutIntervalForRequest = 1.2 }
    let record = await session.load(server.url())
    #expect(record.text == "xxxxxx" && record.error == nil)
  }

  @Test func itIsAnIdleTimeoutWithinTheBodyToo() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let session = RecordedSession { $0.timeoutIntervalForRequest = 0.5 }
    let record = await session.load(server.url())
    #expect(record.code == .timedOut && record.text == "abc" && record.status == 200)
  }

  @Test(arguments: [TimeInterval.infinity, 0, -1, .nan, 1e300]) func oddTimeoutsNeitherCrashNorFail(
    _ interval: TimeInterval
  ) async throws {
    let nginx = try await NginxServer.shared
    var request = URLRequest(url: nginx.url())
    request.timeoutInterval = interval
    #expect(await RecordedSession().load(request).body == DocumentRoot.small)
    let session = RecordedSession {
      $0.timeoutIntervalForRequest = interval
      $0.timeoutIntervalForResource = interval
    }
    #expect(await session.load(nginx.url()).body == DocumentRoot.small)
  }

  /// A request's own interval, on its way to the load by itself, through an archive, and through the form that the transfer service gets.
  private static let ways: [@Sendable (URLRequest) throws -> URLRequest?] = [
    { $0 },
    { try archivedAndBack($0 as NSURLRequest) as URLRequest? },
    { request in
      var writer = CompactWriter()
      writer.request(request)
      var reader = CompactReader(writer.data)
      return reader.request()
    },
  ]

  @Test(arguments: 0..<3, TaskKind.allCases) func aRequestsOwnIntervalHoldsThoughItIsLonger(
    _ way: Int, _ kind: TaskKind
  ) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .milliseconds(900))
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let session = RecordedSession { $0.timeoutIntervalForRequest = 0.3 }
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 30
    let sent = try #require(try Self.ways[way](request))
    let record = await session.load(sent, by: kind)
    #expect(record.text == "ok", "\(String(describing: record.error))")
  }

  @Test(arguments: 0..<3) func withoutAnIntervalOfItsOwnTheSessionsHolds(_ way: Int) async throws {
    let server = try ScriptedServer.silent()
    let session = RecordedSession { $0.timeoutIntervalForRequest = 0.3 }
    let sent = try #require(try Self.ways[way](URLRequest(url: server.url())))
    var record = LoadRecord()
    let seconds = await time { record = await session.load(sent) }
    #expect(record.code == .timedOut && seconds < 5)
  }

  @Test(arguments: TaskKind.allCases) func theResourceTimeoutIsWallClock(_ kind: TaskKind) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while !connection.waitForPeerClose(timeout: .milliseconds(50)) { try connection.send("x") }
    }
    let session = RecordedSession { $0.timeoutIntervalForResource = 0.4 }
    var record = LoadRecord()
    let seconds = await time { record = await session.load(server.url(), by: kind) }
    #expect(record.code == .timedOut, "\(String(describing: record.error))")
    #expect(seconds >= 0.39 && seconds < (Sanitizing.isOn ? 40 : 4), "\(seconds)")
  }

  @Test func aSuspendedTaskStillHasItsResourceTimeout() async throws {
    let server = try ScriptedServer.silent()
    let session = RecordedSession { $0.timeoutIntervalForResource = 0.4 }
    let task = session.session.dataTask(with: server.url())
    task.resume()
    task.suspend()
    #expect(await session.recorder.records.wait(timeout: .seconds(5)) { $0[task.taskIdentifier]?.completions == 1 })
    #expect(session.recorder.record(of: task.taskIdentifier).code == .timedOut)
  }

  @Test func timeInTheQueueDoesNotCount() async throws {
    let server = try ScriptedServer.http { _ in
      Thread.sleep(forTimeInterval: 0.4)
      return HTTPResponse(text: "ok")
    }
    // One connection: the last of 5 waits 1.6 s for its turn.
    let session = RecordedSession {
      $0.httpMaximumConnectionsPerHost = 1
      $0.timeoutIntervalForRequest = 1
    }
    let tasks = (0..<5).map { _ in session.session.dataTask(with: server.url()) }
    for task in tasks { task.resume() }
    for task in tasks {
      let record = await session.run(task)
      #expect(record.text == "ok", "\(String(describing: record.error))")
    }
    #expect(server.connectionCount == 1)
  }

  @Test func waitingForADelegateDoesNotCount() async throws {
    final class Slow: NSObject, URLSessionTaskDelegate, Sendable {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
      ) async -> URLRequest? {
        try? await Task.sleep(for: .seconds(1))
        return request
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
      ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        try? await Task.sleep(for: .seconds(1))
        return (
          .useCredential,
          URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none)
        )
      }
    }
    let nginx = try await NginxServer.shared
    let session = RecordedSession { $0.timeoutIntervalForRequest = 0.7 }
    let task = session.session.dataTask(with: nginx.url("/redirect/302?to=/basic/small.txt"))
    task.delegate = Slow()
    let record = await session.run(task)
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
  }

  @Test func anUnansweredResponseDoesNotTimeOut() async throws {
    final class Slow: NSObject, URLSessionDataDelegate, Sendable {
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
      ) async -> URLSession.ResponseDisposition {
        try? await Task.sleep(for: .seconds(1))
        return .allow
      }
    }
    let session = RecordedSession { $0.timeoutIntervalForRequest = 0.5 }
    // More than may wait for the delegate.
    let task = session.session.dataTask(with: try await NginxServer.shared.url("/large.bin"))
    task.delegate = Slow()
    let record = await session.run(task)
    #expect(record.body.count == DocumentRoot.largeSize, "\(String(describing: record.error))")
  }
}
