import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// What nothing has to wait for takes no time: cancelling answers within a tenth of a second although the server is silent. The best
/// of several times is what the connection needs; what is above it, the machine needs for others.
@Suite struct PromptnessTests {
  private func expectPrompt(_ start: () async throws -> TestConnection) async throws {
    let limit: Duration = Sanitizing.isOn ? .seconds(1) : .milliseconds(100)
    var best = Duration.seconds(60)
    for _ in 0..<20 where best >= limit {
      best = min(best, await (try start()).expectPromptEnd())
    }
    #expect(best < limit)
  }

  @Test func whileKeysAreExchanged() async throws {
    let server = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(30)) }
    try await expectPrompt {
      let accepted = server.connectionCount
      let test = TestConnection(TestConnection.options(port: server.port))
      _ = await server.waitForConnections(accepted + 1)
      return test
    }
  }

  @Test func whileTheServerHasNoTime() async throws {
    let server = try await SSHServer.start()
    try await expectPrompt {
      let test = TestConnection(try await TestConnection.options(server))
      await test.expectOpen()
      server.freezeConnections()
      return test
    }
    server.freezeConnections(false)
    await server.stop()
  }

  /// OpenSSH's server holds its answer back until what it has sent before is acknowledged, which a system may leave for 40 ms.
  @Test func openingAChannelWaitsForNoAcknowledgement() async throws {
    let server = try await SSHServer.start()
    var best = TimeInterval.infinity
    for _ in 0..<20 where best >= 0.035 {
      let test = TestConnection(try await TestConnection.options(server))
      await test.expectOpen()
      let metrics = test.connection.metrics
      best = min(best, try #require(metrics.opened).timeIntervalSince(try #require(metrics.loggedIn)))
      await test.expectPromptEnd()
    }
    #expect(best < 0.035)
    await server.stop()
  }
}
