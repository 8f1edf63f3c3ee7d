import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Data tasks of background sessions, which the program loads itself.
@Suite(.timeLimit(.minutes(3))) struct BackgroundDataTaskTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func theProgramLoadsThem() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let program = try fixture.program("test", "--header", "own", "task:\(server.url("/data"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(program.all("response") == ["1 200"] && program.all("data") == ["1 5"], "\(program.lines)")
    #expect(server.requests.first?.fields["X-Worker"] == "own")
    // The tasks of the service have the numbers that are left.
    program.tell("make download:\(server.url("/file"))")
    #expect(try await program.says("ended 2 0 200"), "\(program.lines)")
    #expect(try String(contentsOf: fixture.taken.appending(path: "2"), encoding: .utf8) == "/file")
    await program.kill()
    await fixture.stop()
  }

  @Test func theyEndWithTheProgram() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegin")
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    let first = try fixture.program("test", "task:\(server.url("/data"))")
    #expect(try await first.says("data 1 5"), "\(first.lines)")
    #expect(try await fixture.control().jobs().isEmpty)
    await first.kill()
    #expect(await server.waitForIdle(timeout: .seconds(60)))
    let second = try fixture.program()
    second.tell("tasks")
    #expect(try await second.says("tasks"))
    #expect(second.lines == ["tasks "], "\(second.lines)")
    #expect(server.connectionCount == 1)
    await second.kill()
    await fixture.stop()
  }
}
