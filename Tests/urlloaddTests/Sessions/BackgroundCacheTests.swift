import Foundation
import Testing
import URLLoadingTestServers

/// Background sessions have no cache, and the service keeps none for them.
@Suite(.timeLimit(.minutes(3))) struct BackgroundCacheTests {
  @Test func whatMayBeKeptIsLoadedAgain() async throws {
    let fixture = try BackgroundFixture()
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=3600", "ETag": "\"1\""], text: "body")
    }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    program.tell("make download:\(server.url("/a"))")
    #expect(try await program.says("ended 2 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 2)
    // Nor does it ask whether something that it keeps still holds.
    #expect(server.requests.allSatisfy { $0.fields["If-None-Match"] == nil })
    // A cache makes its folder before it looks for its first entry.
    #expect(!FileManager.default.fileExists(atPath: fixture.directory.file("cache").path))
    let names = try FileManager.default.subpathsOfDirectory(atPath: fixture.state.path)
    #expect(names.contains("queue.sqlite") && !names.contains { $0.lowercased().contains("cache") }, "\(names)")
    await program.kill()
    await fixture.stop()
  }
}
