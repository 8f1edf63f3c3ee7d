import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The service crashes, as by a fault of a library that a server makes use of.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// The first crash keeps the task back, the second ends it; others are loaded.
  @Test func aTaskThatCrashesTheServiceIsEnded() async throws {
    let mayAnswer = Watched(false)
    let server = try ScriptedServer.http { request in
      if request.path == "/bad" { while !mayAnswer.value { usleep(10_000) } }
      return HTTPResponse(text: "ok")
    }
    defer { mayAnswer.update { $0 = true } }
    try await fixture.leave("test", "download:\(server.url("/bad"))")
    #expect(await server.waitForRequests(1, timeout: .seconds(60)))
    try await crash()
    // It is not begun with the next start, and holds up nothing that comes.
    let other = try fixture.program("other", "download:\(server.url("/good"))")
    #expect(try await other.says("ended 1 0 200", timeout: .seconds(60)), "\(other.lines)")
    #expect(requests(server) == ["/bad", "/good"])
    let list = try await jobs()
    #expect(list.contains("tries again") && list.contains("has crashed while it loaded this"), "\(list)")
    // Nor does a kill count, which is nobody's fault.
    try await fixture.killService()
    #expect(try await eventually(timeout: .seconds(60)) { requests(server).count == 3 })
    try await fixture.killService()
    #expect(try await eventually(timeout: .seconds(60)) { requests(server).count == 4 })
    #expect(requests(server).suffix(2) == ["/bad", "/bad"])
    try await crash()
    let program = try fixture.program("test", "download:\(server.url("/good"))")
    #expect(try await program.says("ended 1 -997", timeout: .seconds(60)), "\(program.lines)")
    #expect(try await program.says("ended 2 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("crashed twice") && $0.contains("signal 11") }, "\(program.lines)")
    #expect(requests(server).filter { $0 == "/bad" }.count == 3)
    for program in [other, program] { await program.kill() }
    await fixture.stop()
  }

  /// A server that ended a process with libcurl 7.88: see FirstFieldTests.
  @Test func aFirstFieldBehindASpaceEndsNothing() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        let field = request.path == "/bad" ? " X: y" : "X: \(String(repeating: "y", count: 200))"
        try connection.send("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 5\r\n\r\nTest.")
      }
    }
    let program = try fixture.program("test", "download:\(server.url("/good"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    let service = fixture.service
    for number in 2...4 {
      program.tell("make download:\(server.url("/bad"))")
      #expect(try await program.says("ended \(number) 0 200", timeout: .seconds(60)), "\(program.lines)")
    }
    #expect(service != nil && fixture.service == service)
    await program.kill()
    await fixture.stop()
  }

  private func requests(_ server: ScriptedServer) -> [String] { server.requests.map(\.path) }

  private func crash() async throws { try await fixture.killService(by: SIGSEGV) }

  private func jobs() async throws -> String {
    try await Command.run(BuiltProgram.path("urlload"), ["jobs"], environment: fixture.environment).text
  }
}
