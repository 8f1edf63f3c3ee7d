import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What the service does with a request, and which it does not take.
@Suite(.timeLimit(.minutes(3))) struct BackgroundRequestTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func redirectsAreFollowedWithoutAsking() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/a" ? .redirect(to: "/b") : HTTPResponse(text: "hello")
    }
    // Its delegate would follow none.
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("redirected").isEmpty && server.requests.map(\.path) == ["/a", "/b"])
    #expect(try String(contentsOf: fixture.taken.appending(path: "1"), encoding: .utf8) == "hello")
    await program.kill()
    await fixture.stop()
  }

  @Test(arguments: ["bytes", "stream"]) func filesAloneAreUploaded(_ kind: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "taken") }
    let program = try fixture.program("test", "\(kind):body,\(server.url("/a"))")
    #expect(try await program.says("ended", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("ended").first?.contains("files alone") == true, "\(program.lines)")
    #expect(server.requests.isEmpty)
    let jobs = try await fixture.control().jobs()
    #expect(jobs.isEmpty && fixture.files.isEmpty)
    await program.kill()
    await fixture.stop()
  }
}
