import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// A service that is started while no program uses it, as by systemd.
@Suite(.timeLimit(.minutes(5))) struct LoneServiceTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private func start(idleSeconds: Int) throws -> ChildProcess {
    let log = fixture.directory.file("service.log")
    return try ChildProcess(
      BuiltProgram.path("urlloadd"), ["--idle-seconds", String(idleSeconds)], environment: fixture.environment,
      output: log, error: log)
  }

  /// Nothing else would wake its loop.
  @Test func itBeginsAtOnceWhatIsStored() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    try fixture.storeDownload(BackgroundValues.data(of: URLRequest(url: server.url("/a"))))
    let service = try start(idleSeconds: 0)
    #expect(await server.waitForRequests(1, timeout: .seconds(60)))
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  /// Its program would hear of it from no other service: each would end so.
  @Test func itEndsBehindTheCommitOfATaskThatCannotBegin() async throws {
    try fixture.storeDownload(Data("no request".utf8))
    let service = try start(idleSeconds: 1)
    #expect(await service.waitForExit(timeout: .seconds(60)) == .exited(0))
    let store = try fixture.queue()
    #expect(try store.contents().jobs.map(\.state.phase) == [.ended])
    #expect(try store.stored(1)?.outcome?.error?.code == URLError.Code.badURL.rawValue)
    await fixture.stop()
  }
}
