import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Programs that connect, and say nothing.
@Suite(.timeLimit(.minutes(5))) struct SilentClientTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// They have all places for a moment, and then none.
  @Test func theyKeepNobodyOut() async throws {
    let first = try fixture.program("first")
    #expect(try await eventually { fixture.service != nil && (try? BackgroundSocket(to: fixture.place)) != nil })
    let service = fixture.service
    var silent: [BackgroundSocket] = []
    for _ in 0..<400 { silent.append(try BackgroundSocket(to: fixture.place)) }
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    withExtendedLifetime(silent) {}
    // The same that had them, and not one that was started in its place.
    #expect(fixture.service == service)
    for program in [first, program] { await program.kill() }
    await fixture.stop()
  }
}
