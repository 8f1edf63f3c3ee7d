import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What the delegate of a background session hears of the requests that the service has sent.
@Suite(.timeLimit(.minutes(5))) struct CollectedMetricsTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Whether the only job of the service has ended with success.
  private func isDone() async throws -> Bool {
    try await eventually {
      let control = try? BackgroundControl(at: fixture.place)
      return try control?.jobs().first?.state == "done"
    }
  }

  @Test func theyWaitForTheProgramOverARestartOfTheService() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/a" ? .redirect(to: "/b") : HTTPResponse(text: "hello")
    }
    try await fixture.leave("test", "download:\(server.url("/a"))")
    #expect(try await isDone())
    try await fixture.killService()
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    let port = try #require(server.url().port)
    #expect(program.all("metrics") == ["1 1 /a,302,http/1.1,0,\(port) /b,200,http/1.1,5,\(port)"])
    let events = program.lines.compactMap { $0.split(separator: " ").first }.filter {
      ["metrics", "file", "ended"].contains($0)
    }
    #expect(events == ["metrics", "file", "ended"])
    await program.kill()
    await fixture.stop()
  }

  @Test func thoseOfTriesThatFailedAreAmongThem() async throws {
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1234")
        // The first one is cut off.
        if connection.number == 1 { return }
        try connection.send("5678")
      }
    }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    let port = try #require(server.url().port)
    #expect(program.all("metrics") == ["1 0 /a,200,http/1.1,4,\(port) /a,200,http/1.1,8,\(port)"])
    await program.kill()
    await fixture.stop()
  }

  @Test func aTaskThatFailsHasThemAsWell() async throws {
    let server = try ScriptedServer.http { request in .redirect(to: request.path) }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 -1007"), "\(program.lines)")
    let metrics = try #require(program.all("metrics").first)
    // The last redirect is refused before its metrics have a response.
    #expect(metrics.components(separatedBy: " /a,302,http/1.1,0,").count == 16, "\(program.lines)")
    #expect(metrics.components(separatedBy: " /a,0,http/1.1,0,").count == 2, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }
}
