import Foundation
import Testing
import URLLoadingTestServers

/// What tasks fail with where the service cannot have them: -995 without a folder that program and service share, -997 without the service;
/// -996, for an identifier that is in use, is in `BackgroundSessionTests`.
@Suite(.timeLimit(.minutes(5))) struct BackgroundErrorTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func withoutAFolderForTheQueue() async throws {
    let program = try fixture.program(
      "test", "download:http://127.0.0.1:9/a", environment: ["HOME": nil, "XDG_STATE_HOME": nil])
    #expect(try await program.says("ended 1 -995", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("XDG_STATE_HOME") }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// Whose sockets the service could reach is not what its program says.
  @Test func ofUnixSockets() async throws {
    let program = try fixture.program("test", "download:http+unix://%2Ftmp%2Fnone.sock/a")
    #expect(try await program.says("ended 1 -1002", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("does not load in the background") }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func withAFolderThatCannotBeMade() async throws {
    try Data().write(to: fixture.directory.file("state"))
    let program = try fixture.program("test", "download:http://127.0.0.1:9/a")
    #expect(try await program.says("ended", timeout: .seconds(120)), "\(program.lines)")
    // Nobody knows which numbers are free: another service may be there, whose folder is.
    #expect(program.all("ended").first?.contains(" -995 ") == true, "\(program.lines)")
    #expect(program.lines.contains { $0.contains(fixture.state.path) }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func whenTheServiceIsGoneForGood() async throws {
    let server = try OutlivingTests.slowServer(pause: 10_000, held: 1)
    let link = fixture.directory.file("urlloadd")
    let service = URL(fileURLWithPath: BuiltProgram.path("urlloadd"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: service)
    let program = try fixture.program(
      "test", "download:\(server.url("/a"))", environment: ["URLLOADD": link.path])
    #expect(try await program.says("wrote", timeout: .seconds(60)), "\(program.lines)")
    unlink(link.path)
    try await fixture.killService()
    #expect(try await program.says("ended 1 -997", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("ended").count == 1)
    // It is the service's all the same, and goes on when there is one again.
    await program.kill()
    let next = try fixture.program()
    #expect(try await next.says("ended 1 0", timeout: .seconds(60)), "\(next.lines)")
    await next.kill()
    await fixture.stop()
  }
}
