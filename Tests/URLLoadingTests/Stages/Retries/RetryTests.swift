import enum URLLoadingHTTPSemantics.HTTPDate
import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads that are tried again, against servers that are in trouble for a while.
@Suite(.timeLimit(.minutes(3))) struct RetryTests {
  private static let later = HTTPResponse(503, fields: ["Set-Cookie": "a=b"], text: "later")
  private static let now = HTTPResponse(text: "now")

  private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start).seconds
  }

  private func post(_ url: URL, key: String? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("body".utf8)
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    return request
  }

  // MARK: Statuses

  @Test(arguments: LoadKind.allCases) func theOwnerGetsTheLastAnswerAlone(kind: LoadKind) async throws {
    let server = try RetriedSession.server(Self.later, Self.later, Self.now)
    let record = await RetriedSession.make().load(server.url(), as: kind)
    #expect(record.status == 200 && record.text == "now" && record.error == nil && record.completions == 1)
    #expect(server.requests.count == 3)
    // The cookies of an answer that is dropped count.
    #expect(server.requests.map { $0.fields["Cookie"] } == [nil, "a=b", "a=b"])
    // What is dropped was read: the connection is used again.
    #expect(server.connectionCount == 1)
    guard kind != .async else { return }
    #expect(record.statuses == [503, 503, 200] && record.metrics?.redirectCount == 0)
    #expect(record.events.count { $0 == "response" } == (kind == .delegate ? 1 : 0))
  }

  @Test func eachRetryIsAnEvent() async throws {
    let server = try RetriedSession.server(Self.later, Self.now)
    let recorder = EventRecorder()
    let session = recorder.session { $0.retryPolicy = RetriedSession.policy() }
    _ = try await session.data(from: server.url("/a"))
    #expect(
      recorder.steps() == [
        "begin", "choose /a", "send", "response 503", "finish network 503", "retry status", "choose /a", "send",
        "response 200", "finish network 200", "end",
      ])
    #expect(recorder.log.value.overlaps.isEmpty)
  }

  @Test func withoutAPolicyNothingIsTriedAgain() async throws {
    let server = try RetriedSession.server(Self.later)
    let record = await RecordedSession().load(server.url())
    #expect(record.status == 503 && record.text == "later" && server.requests.count == 1)
  }

  @Test func theLastRetryHasTheResult() async throws {
    let server = try RetriedSession.server(Self.later)
    let record = await RetriedSession.make().load(server.url())
    #expect(record.status == 503 && record.text == "later" && server.requests.count == 4)
    #expect(record.statuses == [503, 503, 503, 503])
  }

  /// RFC 9110, section 10.2.3.
  @Test func aServerSaysWhen() async throws {
    for isDate in [false, true] {
      let field = isDate ? HTTPDate.string(from: Date(timeIntervalSinceNow: 2)) : "1"
      let server = try RetriedSession.server(HTTPResponse(503, fields: ["Retry-After": field]), Self.now)
      let session = RetriedSession.make()
      let time = await seconds {
        let record = await session.load(server.url())
        #expect(record.text == "now" && server.requests.count == 2)
      }
      #expect(time >= 0.9, "\(field)")
    }
  }

  @Test func aServerThatAsksForTooMuchHasTheResult() async throws {
    let server = try RetriedSession.server(HTTPResponse(429, fields: ["Retry-After": "86400"], text: "slow"))
    let record = await RetriedSession.make().load(server.url())
    #expect(record.status == 429 && record.text == "slow" && server.requests.count == 1)
  }

  @Test func onlyWhatMayBeRepeatedIs() async throws {
    let server = try RetriedSession.server(Self.later)
    let session = RetriedSession.make()
    let record = await session.load(post(server.url()))
    #expect(record.status == 503 && record.text == "later" && server.requests.count == 1)
    _ = await session.load(post(server.url(), key: "\"1\""))
    #expect(server.requests.count == 5)
  }

  @Test func aRepeatedRequestHasItsBodyAndItsKey() async throws {
    let seen = Watched<[HTTPRequest]>([])
    let server = try ScriptedServer.http { request in
      seen.update { $0.append(request) }
      return seen.value.count < 3 ? Self.later : Self.now
    }
    let record = await RetriedSession.make().load(post(server.url(), key: "\"1\""))
    #expect(record.text == "now")
    #expect(seen.value.map { String(decoding: $0.body, as: UTF8.self) } == ["body", "body", "body"])
    #expect(seen.value.allSatisfy { $0.method == "POST" && $0.fields["Idempotency-Key"] == "\"1\"" })
  }

  @Test func whatIsDroppedIsNotReadToItsEnd() async throws {
    let closed = Watched(false)
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      guard connection.number == 1 else { return try connection.send(Self.now) }
      defer { closed.update { $0 = true } }
      try connection.send("HTTP/1.1 503 Later\r\nContent-Length: 1000000000\r\n\r\n")
      while true { try connection.send(Data(count: 10_000)) }
    }
    let record = await RetriedSession.make().load(server.url())
    #expect(record.text == "now")
    #expect(await closed.wait { $0 })
    let first = try #require(record.metrics?.transactionMetrics.first)
    #expect(first.countOfResponseBodyBytesReceived < 1_000_000)
  }

  /// The wait ends what is still being read of the answer before.
  @Test func aBodyThatDoesNotComeDelaysNothing() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      guard connection.number == 1 else { return try connection.send(Self.now) }
      try connection.send("HTTP/1.1 503 Later\r\nContent-Length: 100\r\n\r\n")
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let record = await RetriedSession.make().load(server.url())
    #expect(record.text == "now" && server.connectionCount == 2)
  }

  @Test func aRedirectIsFollowedOnce() async throws {
    let count = Watched(0)
    let server = try ScriptedServer.http { request in
      guard request.path == "/b" else { return .redirect(to: "/b") }
      return count.update {
        $0 += 1
        return $0
      } == 1 ? Self.later : Self.now
    }
    let record = await RetriedSession.make().load(server.url("/a"))
    #expect(record.text == "now" && server.requests.map(\.path) == ["/a", "/b", "/b"])
    #expect(record.redirects.count == 1 && record.metrics?.redirectCount == 1)
    #expect(record.statuses == [302, 503, 200])
  }

  @Test func aLoginIsMadeAgain() async throws {
    let count = Watched(0)
    let server = try ScriptedServer.http { request in
      guard request.fields["Authorization"] != nil else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""])
      }
      return count.update {
        $0 += 1
        return $0
      } == 1 ? Self.later : Self.now
    }
    let recorder = LoadRecorder(onChallenge: { _ in
      (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
    })
    let record = await RetriedSession.make(recorder).load(server.url())
    #expect(record.text == "now" && record.challenges.count == 1)
  }

  // MARK: The cache

  @Test func whatIsDroppedIsNotStored() async throws {
    let fields: HTTPFields = ["Cache-Control": "max-age=1000"]
    let server = try RetriedSession.server(
      HTTPResponse(503, fields: fields, text: "later"), HTTPResponse(fields: fields, text: "now"))
    let session = RetriedSession.make()
    for _ in 0..<2 { #expect(await session.load(server.url()).text == "now") }
    #expect(server.requests.count == 2)
  }

  /// RFC 5861, section 4.
  @Test func whatIsStoredAnswersAtOnceWhereItMay() async throws {
    let stored = HTTPResponse(
      fields: ["Cache-Control": "max-age=0, stale-if-error=1000", "ETag": "\"v\""], text: "old")
    let server = try RetriedSession.server(stored, Self.later)
    let session = RetriedSession.make()
    for _ in 0..<2 { #expect(await session.load(server.url()).text == "old") }
    #expect(server.requests.count == 2)
  }

  /// A status that nobody sent: the cache's own (RFC 9111, section 5.2.1.7).
  @Test func anAnswerOfTheCacheIsFinal() async throws {
    let server = try RetriedSession.server(Self.now)
    var request = URLRequest(url: server.url())
    request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
    let record = await RetriedSession.make().load(request)
    #expect(record.status == 504 && server.requests.isEmpty)
  }

  // MARK: Failures

  @Test func aServerThatIsNotThereYet() async throws {
    let port = try FreePort.pick(1)[0]
    let session = RetriedSession.make(LoadRecorder(), RetriedSession.policy(firstDelay: 0.5))
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let task = session.session.dataTask(with: post(url))
    task.resume()
    #expect(try await task.waitForRetry())
    let server = try ScriptedServer.http(port: port) { _ in Self.now }
    let record = await session.run(task)
    #expect(record.text == "now" && server.requests.count == 1, "\(String(describing: record.error))")
    #expect(record.statuses.last == 200 && record.statuses.count >= 2)
  }

  /// Closes the first connections without an answer.
  private func silent(_ count: Int) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard try connection.readRequest() != nil, connection.number > count else { return }
      try connection.send(Self.now)
    }
  }

  @Test func anAnswerThatIsLost() async throws {
    // libcurl and its transfer may send it again by themselves as well.
    let server = try silent(2)
    let recorder = EventRecorder()
    let session = recorder.session { $0.retryPolicy = RetriedSession.policy() }
    #expect(try await session.data(from: server.url()).0 == Data("now".utf8))
    let refused = try silent(1)
    await #expect(throws: URLError.self) { try await session.data(for: post(refused.url())) }
    #expect(refused.requests.count == 1)
  }

  @Test func anAnswerThatDoesNotCome() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      if connection.number > 1 { return try connection.send(Self.now) }
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let session = RetriedSession.make { $0.timeoutIntervalForRequest = 1 }
    let record = await session.load(server.url())
    #expect(record.text == "now" && record.statuses.first == .some(nil) && record.statuses.last == 200)
  }

  /// RFC 959, section 4.2.1.
  @Test func aTemporaryReplyOfFTP() async throws {
    var script = ScriptedFTPServer.Script(file: Data("abc".utf8))
    script.replies["RETR"] = "450 busy"
    let server = try ScriptedFTPServer(script)
    let session = RetriedSession.make(LoadRecorder(), RetriedSession.policy(firstDelay: 0.5))
    let task = session.session.dataTask(with: server.url())
    task.resume()
    #expect(try await task.waitForRetry())
    server.change { _ = $0.replies.removeValue(forKey: "RETR") }
    #expect(await session.run(task).text == "abc")
    #expect(server.count(of: "RETR") == 2)
    await server.stop()
  }

  @Test func webSocketsAreNotTriedAgain() async throws {
    let server = try RetriedSession.server(Self.later)
    let session = RetriedSession.make()
    let record = await session.run(session.session.webSocketTask(with: server.url("/", scheme: "ws")))
    #expect(record.error != nil && server.requests.count == 1)
  }

  /// A class says whether it may be tried again: one that loads by other loads of its session does not.
  @Test func classesOfPlugins() async throws {
    let session = RetriedSession.make { $0.protocolClasses = [TiredProtocol.self, ComposedProtocol.self] }
    #expect(await session.load("tired://host/").status == 200)
    #expect(await session.load("composed://host/").status == 503)
    #expect(TiredProtocol.loads.value == ["tired", "tired", "tired", "composed"])
  }

  // MARK: The wait

  /// A task that waits for half a minute.
  private func waiting(
    in session: RecordedSession, answering first: HTTPResponse = HTTPResponse(503, fields: ["Retry-After": "30"])
  ) async throws -> (URLSessionDataTask, ScriptedServer) {
    let server = try RetriedSession.server(first, Self.now)
    let task = session.session.dataTask(with: server.url())
    task.resume()
    #expect(try await task.waitForRetry())
    return (task, server)
  }

  @Test func cancelWhileItWaits() async throws {
    let session = RetriedSession.make()
    let (task, server) = try await waiting(in: session)
    #expect(task.state == .running && task.response == nil)
    task.cancel()
    let record = await session.run(task)
    #expect(record.code == .cancelled && record.completions == 1 && record.statuses == [503])
    #expect(server.requests.count == 1)
  }

  @Test func theSessionIsCancelledWhileItWaits() async throws {
    let session = RetriedSession.make()
    let (task, _) = try await waiting(in: session)
    session.session.invalidateAndCancel()
    #expect(await session.run(task).code == .cancelled)
  }

  @Test func aSuspendedTaskIsTriedAgainWhenItIsResumed() async throws {
    let session = RetriedSession.make()
    let (task, server) = try await waiting(
      in: session, answering: HTTPResponse(503, fields: ["Retry-After": "1"]))
    task.suspend()
    let isEarly = await server.wait(timeout: .seconds(1.5)) { $0.requests.count > 1 }
    #expect(!isEarly)
    #expect(task.state == .suspended && task.awaitsRetry)
    let record = await session.run(task)
    #expect(record.text == "now" && server.requests.count == 2)
  }

  @Test func theResourceTimeoutEndsTheWaitOfASuspendedTask() async throws {
    let session = RetriedSession.make { $0.timeoutIntervalForResource = 4 }
    let (task, server) = try await waiting(
      in: session, answering: HTTPResponse(503, fields: ["Retry-After": "2"]))
    task.suspend()
    let number = task.taskIdentifier
    let hasEnded = await session.recorder.records.wait(timeout: .seconds(20)) { $0[number]?.completions == 1 }
    #expect(hasEnded && session.recorder.record(of: number).code == .timedOut && server.requests.count == 1)
  }

  /// A timeout would say less than the answer that is there.
  @Test func aWaitThatWouldNotEndInTimeIsNotBegun() async throws {
    let server = try RetriedSession.server(HTTPResponse(503, fields: ["Retry-After": "5"], text: "later"))
    let session = RetriedSession.make { $0.timeoutIntervalForResource = 4 }
    let record = await session.load(server.url())
    #expect(record.status == 503 && record.text == "later" && server.requests.count == 1)
  }

  // MARK: The budget

  @Test func aDeadServerGetsFewRetries() async throws {
    let server = try RetriedSession.server(Self.later)
    let session = RetriedSession.make(LoadRecorder(), RetriedSession.policy { $0.maximumRetries = 10 })
    let time = await seconds {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask { #expect(await session.load(server.url()).status == 503) }
        }
      }
    }
    // What is saved, one for five loads, one a second.
    let bound = 100 + 10 + 20 + Int(time.rounded(.up))
    #expect(server.requests.count > 100 && server.requests.count <= bound, "\(server.requests.count)")
  }

  @Test func aSessionWithoutABudgetSpendsAll() async throws {
    let server = try RetriedSession.server(Self.later)
    let policy = RetriedSession.policy {
      $0.budget = nil
      $0.firstDelay = 0
    }
    let session = RetriedSession.make(LoadRecorder(), policy)
    for _ in 0..<10 { _ = await session.load(server.url()) }
    #expect(server.requests.count == 40)
  }

  @Test func sessionsHaveBudgetsOfTheirOwn() async throws {
    let server = try RetriedSession.server(Self.later)
    let policy = RetriedSession.policy {
      $0.budget?.savedRetries = 1
      $0.budget?.retriesPerSecond = 0
    }
    for _ in 0..<2 {
      let session = RetriedSession.make(LoadRecorder(), policy)
      for _ in 0..<3 { _ = await session.load(server.url()) }
    }
    #expect(server.requests.count == 8)
  }
}

/// Answers with 503 twice, and then with 200.
private class TiredProtocol: AsyncURLProtocol, @unchecked Sendable {
  static let loads = Watched<[String]>([])

  class var scheme: String { "tired" }
  override class var capabilities: Capabilities { [.retries] }
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == scheme }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    let count = Self.loads.update { loads in
      loads.append(Self.scheme)
      return loads.count { $0 == Self.scheme }
    }
    let status = count > 2 ? 200 : 503
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
    else { return }
    try await writer.respond(response)
  }
}

private final class ComposedProtocol: TiredProtocol, @unchecked Sendable {
  override class var scheme: String { "composed" }
  override class var capabilities: Capabilities { [] }
}
