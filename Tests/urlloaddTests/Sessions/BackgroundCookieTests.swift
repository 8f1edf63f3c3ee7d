import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The cookies of background sessions: the service and the program have those of the configuration's storage.
@Suite(.timeLimit(.minutes(3))) struct BackgroundCookieTests {
  private let fixture: BackgroundFixture
  private let server: ScriptedServer

  init() throws {
    fixture = try BackgroundFixture()
    server = try ScriptedServer.http { request in
      guard request.path == "/set" else { return HTTPResponse(text: "ok") }
      return HTTPResponse(fields: ["Set-Cookie": "a=b; Path=/; Max-Age=1000"], text: "set")
    }
  }

  /// What the last request for a path had.
  private func cookies(_ path: String) -> String? { server.requests.last { $0.path == path }?.fields["Cookie"] }

  @Test func theProgramHasThoseOfTheService() async throws {
    let program = try fixture.program("test", "download:\(server.url("/set"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    program.tell("make download:\(server.url("/service"))")
    #expect(try await program.says("ended 2 0 200"), "\(program.lines)")
    #expect(cookies("/service") == "a=b")
    await program.kill()
    // The service has a moment before it writes them. A session's second program goes on with its numbers.
    var looks = 0
    while cookies("/program") != "a=b", looks < 200 {
      looks += 1
      let next = try fixture.program("look-\(looks)", "task:\(server.url("/program"))")
      #expect(try await next.says("ended 1 0 200"), "\(next.lines)")
      await next.kill()
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(cookies("/program") == "a=b")
    await fixture.stop()
  }

  @Test func theServiceHasThoseOfTheProgram() async throws {
    let program = try fixture.program("test", "task:\(server.url("/set"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    // The program has a moment before it writes them, and the service before it reads them.
    var number = 1
    while cookies("/service") == nil, number < 200 {
      number += 1
      program.tell("make download:\(server.url("/service"))")
      #expect(try await program.says("ended \(number) 0 200"), "\(program.lines)")
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(cookies("/service") == "a=b")
    await program.kill()
    await fixture.stop()
  }

  @Test func aSessionWithoutAStorageHasNone() async throws {
    let program = try fixture.program("test", "--no-cookies", "download:\(server.url("/set"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    program.tell("make download:\(server.url("/service"))")
    #expect(try await program.says("ended 2 0 200"), "\(program.lines)")
    #expect(server.requests.count == 2 && cookies("/service") == nil)
    await program.kill()
    await fixture.stop()
  }
}
