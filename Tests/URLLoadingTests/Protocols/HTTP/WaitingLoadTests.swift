import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Loads that wait until one of their host's connections is free.
@Suite(.timeLimit(.minutes(5))) struct WaitingLoadTests {
  @Test func tenThousandOnSixConnections() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let client = RecordedSession()
    let session = client.session
    let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<10_000 {
        let url = server.url("/\(number)")
        group.addTask { String(decoding: try await session.data(from: url).0, as: UTF8.self) != "/\(number)" }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
    #expect(server.connectionCount <= 6)
  }

  @Test(arguments: LoadKind.allCases)
  func redirectsAndChallengesDoNotWaitForThemselves(_ kind: LoadKind) async throws {
    let server = try ScriptedServer.http { request in
      if request.path.hasPrefix("/first") { return .redirect(to: "/second" + request.path.dropFirst(6)) }
      guard request.fields["Authorization"] != nil else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "who?")
      }
      return HTTPResponse(text: request.path)
    }
    let credential = URLCredential(user: "u", password: "p", persistence: .none)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) })) {
      $0.httpMaximumConnectionsPerHost = 1
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask {
          let record = await client.load(server.url("/first/\(number)"), as: kind, timeout: .seconds(60))
          #expect(record.text == "/second/\(number)" && record.error == nil, "\(String(describing: record.error))")
        }
      }
    }
  }

  @Test func cancellingOneThatWaitsEndsItAtOnce() async throws {
    let server = try ScriptedServer.silent()
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 1 }
    let tasks = (0..<100).map { client.session.dataTask(with: server.url("/\($0)")) }
    for task in tasks { task.resume() }
    #expect(await server.waitForRequests(1))
    for task in tasks.dropFirst(50) { task.cancel() }
    #expect(
      await client.recorder.records.wait { records in
        tasks.dropFirst(50).allSatisfy { records[$0.taskIdentifier]?.completions == 1 }
      })
    #expect(tasks.dropFirst(50).allSatisfy { client.recorder.record(of: $0.taskIdentifier).code == .cancelled })
    #expect(tasks.prefix(50).allSatisfy { client.recorder.record(of: $0.taskIdentifier).completions == 0 })
    client.session.invalidateAndCancel()
    #expect(
      await client.recorder.records.wait { records in
        tasks.allSatisfy { records[$0.taskIdentifier]?.completions == 1 }
      })
    #expect(server.log.requests.count == 1)
  }

  @Test func theRequestTimeoutStandsStill() async throws {
    // Each answer takes longer than the timeout, and keeps its own load alive meanwhile.
    let server = try ScriptedServer { connection in
      while try connection.readRequestHead() != nil {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        for _ in 0..<5 {
          if connection.waitForPeerClose(timeout: .milliseconds(300)) { return }
          try connection.send("x")
        }
      }
    }
    let client = RecordedSession {
      $0.httpMaximumConnectionsPerHost = 1
      $0.timeoutIntervalForRequest = 1.2
    }
    async let first = client.load(server.url("/1"))
    async let second = client.load(server.url("/2"))
    async let third = client.load(server.url("/3"))
    for record in await [first, second, third] {
      #expect(record.text == "xxxxx" && record.error == nil, "\(String(describing: record.error))")
    }
  }

  @Test func theResourceTimeoutDoesNot() async throws {
    let server = try ScriptedServer.silent()
    let client = RecordedSession {
      $0.httpMaximumConnectionsPerHost = 1
      $0.timeoutIntervalForResource = 0.5
    }
    let tasks = (0..<60).map { client.session.dataTask(with: server.url("/\($0)")) }
    for task in tasks { task.resume() }
    #expect(
      await client.recorder.records.wait { records in
        tasks.allSatisfy { records[$0.taskIdentifier]?.completions == 1 }
      })
    #expect(tasks.allSatisfy { client.recorder.record(of: $0.taskIdentifier).code == .timedOut })
    // Some get the connection for a moment when one before them is given up; each would have half a second of its own otherwise.
    #expect(server.log.requests.count < 30)
  }

  @Test func oneHostDoesNotHoldUpAnother() async throws {
    let stuck = try ScriptedServer.silent()
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 1 }
    for number in 0..<200 { client.session.dataTask(with: stuck.url("/\(number)")).resume() }
    for number in 0..<20 { #expect(await client.load(server.url("/\(number)")).text == "/\(number)") }
    #expect(await stuck.waitForRequests(1))
  }

  @Test func theMetricsTellWhenItBegan() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequestHead() != nil {
        _ = connection.waitForPeerClose(timeout: .milliseconds(300))
        try connection.send(HTTPResponse(text: "late"))
      }
    }
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 1 }
    async let first = client.load(server.url("/1"))
    async let second = client.load(server.url("/2"))
    let transactions = await [first, second].compactMap { $0.metrics?.transactionMetrics.first }
    let waited = try #require(transactions.first { $0.isReusedConnection })
    let other = try #require(transactions.first { !$0.isReusedConnection })
    // It was fetched from its start on, and its request left when the other one's response was there.
    let (fetchStart, requestStart) = (try #require(waited.fetchStartDate), try #require(waited.requestStartDate))
    #expect(requestStart >= (try #require(other.responseStartDate)))
    #expect(fetchStart < (try #require(other.responseStartDate)))
  }
}
