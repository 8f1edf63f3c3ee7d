import Foundation
import Testing
import URLLoadingTestServers

@Suite struct ScriptedServerTests {
  @Test func answersAndKeepsAlive() async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(text: "\(request.method) \(request.path) \(request.query["a"] ?? "") \(request.body.count)")
    }
    let arguments = ["-d", "abc", server.url("/x?a=1").absoluteString, server.url("/y").absoluteString]
    #expect(try await Curl.run(arguments).text == "POST /x 1 3POST /y  3")
    #expect(server.connectionCount == 1)
    #expect(await server.waitForRequests(2))
    #expect(server.requests.first?.fields["content-TYPE"] == "application/x-www-form-urlencoded")
    #expect(await server.stop())
    #expect(!FreePort.answers(server.port))
  }

  @Test func readsChunkedBodies() async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    let folder = try TemporaryDirectory()
    let body = TestFiles.pattern(count: 300_000)
    let file = try folder.write("body", body)
    let outcome = try await Curl.run([
      "-T", file.path, "-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue", server.url().absoluteString,
    ])
    #expect(difference(outcome.output, from: body) == nil)
    #expect(server.requests.first?.isChunked == true)
  }

  @Test func sendsWhatNoServerShould() async throws {
    let short = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    #expect(try await Curl.run([short.url().absoluteString]).status == .exited(18))
    let reset = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      connection.reset()
    }
    #expect(try await Curl.run([reset.url().absoluteString]).status == .exited(56))
    let empty = try ScriptedServer { _ = try $0.readRequestHead() }
    #expect(try await Curl.run([empty.url().absoluteString]).status == .exited(52))
  }

  @Test func seesThePeerClose() async throws {
    let closed = AsyncEvent()
    let server = try ScriptedServer(ipv6: FreePort.hasIPv6) { connection in
      _ = try connection.readRequestHead()
      if connection.waitForPeerClose() { closed.signal() }
    }
    #expect(try await Curl.run(["-g", "--max-time", "0.3", server.url().absoluteString]).status == .exited(28))
    #expect(await closed.wait())
    #expect(await server.waitForIdle())
  }

  @Test func sendsHalfClosed() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\nabc")
      connection.closeWriting()
      _ = connection.waitForPeerClose()
    }
    #expect(try await Curl.run([server.url().absoluteString]).text == "abc")
  }

  @Test func stopsWithOpenConnections() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequestHead() != nil {}
    }
    async let outcome = Curl.run([server.url().absoluteString])
    #expect(await server.waitForRequests(1))
    #expect(await server.stop())
    #expect(try await outcome.status == .exited(52))
  }
}
