import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// `urlload jobs retry`.
@Suite(.timeLimit(.minutes(3))) struct JobRetryTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// The next try of this one would be in five minutes, the longest delay.
  @Test func aJobIsTriedAgainAtOnce() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    try fixture.storeDownload(BackgroundValues.data(of: URLRequest(url: server.url("/a")))) { state in
      (state.failures, state.nextTry) = (9, Date().addingTimeInterval(290))
      state.lastFailure = BackgroundFailure(URLError(.timedOut))
    }
    let idle = try fixture.program("idle")
    _ = try await fixture.control()
    let list = try await urlload("jobs")
    #expect(list.text.hasPrefix("1 tries again 0 B \(server.url("/a").absoluteString) ("), "\(list)")
    let unknown = try await urlload("jobs", "retry", "7")
    #expect(unknown.status != .exited(0) && unknown.error.contains("There is no job 7"), "\(unknown)")
    #expect(server.connectionCount == 0)
    let retried = try await urlload("jobs", "retry", "1")
    #expect(retried.status == .exited(0), "\(retried)")
    #expect(await server.waitForRequests(1, timeout: .seconds(60)))
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    for program in [idle, program] { await program.kill() }
    await fixture.stop()
  }

  private func urlload(_ arguments: String...) async throws -> Command.Outcome {
    try await Command.run(BuiltProgram.path("urlload"), arguments, environment: fixture.environment)
  }
}
