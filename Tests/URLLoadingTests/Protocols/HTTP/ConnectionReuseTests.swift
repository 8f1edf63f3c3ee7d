import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Connections that are kept, and those that turn out to be gone.
@Suite(.timeLimit(.minutes(4))) struct ConnectionReuseTests {
  /// Answers the first request of a connection and closes it when the second one comes.
  private static func forgetful() throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let first = try connection.readRequest() else { return }
      try connection.send(HTTPResponse(body: first.body.isEmpty ? Data("first".utf8) : first.body))
      _ = try connection.readRequestHead()
      connection.reset()
    }
  }

  @Test(arguments: LoadKind.allCases)
  func aKeptConnectionThatIsGoneIsReplaced(_ kind: LoadKind) async throws {
    let server = try Self.forgetful()
    let client = RecordedSession()
    for number in 0..<10 {
      let record = await client.load(server.url("/\(number)"), as: kind)
      #expect(record.text == "first" && record.error == nil, "\(number): \(String(describing: record.error))")
    }
    // Each load but the first was sent on the connection of the one before, and then on its own.
    #expect(server.connectionCount == 10)
    #expect(server.requests.count == 19)
  }

  @Test(arguments: ["data", "file", "stream"])
  func anUploadOnAConnectionThatIsGoneIsSentAgain(_ source: String) async throws {
    let server = try Self.forgetful()
    let body = Data("a body".utf8)
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", body)
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: body) }))
    for number in 0..<4 {
      var request = URLRequest(url: server.url("/\(number)"))
      request.httpMethod = "PUT"
      let task =
        switch source {
        case "data": client.session.uploadTask(with: request, from: body)
        case "file": client.session.uploadTask(with: request, fromFile: file)
        default: client.session.uploadTask(withStreamedRequest: request)
        }
      let record = await client.run(task)
      #expect(record.body == body && record.error == nil, "\(number): \(String(describing: record.error))")
    }
    // libcurl may connect before it finds that it cannot read a stream again; nothing is sent on that connection.
    #expect(source == "stream" ? (4...7).contains(server.connectionCount) : server.connectionCount == 4)
    #expect(server.requests.count == 7)
  }

  @Test func oneConnectionServesRequestsInARow() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let client = RecordedSession()
    for kind in LoadKind.allCases {
      #expect(await client.load(server.url("/\(kind)"), as: kind).text == "/\(kind)")
    }
    #expect(server.connectionCount == 1)
    await client.session.flush()
    #expect(await client.load(server.url("/last")).text == "/last")
    #expect(server.connectionCount == 2)
  }

  @Test func noMoreConnectionsThanAllowed() async throws {
    // The first are answered when there are three at once.
    let arrived = Watched(0)
    let server = try ScriptedServer.http { _ in
      arrived.update { $0 += 1 }
      guard arrived.waitBlocking(until: { $0 >= 3 }) else { throw TestServerError("fewer than three at once") }
      return HTTPResponse(text: "ok")
    }
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 3 }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask { #expect(await client.load(server.url("/\(number)")).text == "ok") }
      }
    }
    #expect(server.connectionCount == 3)
  }

  @Test func aQueuedTaskDoesNotBurnItsTimeout() async throws {
    let server = try ScriptedServer.http { _ in
      // All of these in a row take longer than the timeout.
      Thread.sleep(forTimeInterval: 0.5)
      return HTTPResponse(text: "ok")
    }
    let client = RecordedSession { $0.httpMaximumConnectionsPerHost = 1 }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<5 {
        let request = URLRequest(url: server.url("/\(number)"), timeoutInterval: 2)
        group.addTask { #expect(await client.load(request).text == "ok") }
      }
    }
  }
}
