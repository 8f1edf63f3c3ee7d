import Foundation
import Testing
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(3))) struct ServerGateTests {
  private static let body = TestFiles.pattern(count: 2_000_000, seed: 60)

  /// A server of the body, and a gate in front of it.
  private func start() throws -> (ScriptedServer, ServerGate) {
    let server = try ScriptedServer.http { _ in HTTPResponse(body: Self.body) }
    return (server, try ServerGate(ports: [server.port]))
  }

  private func url(_ server: ScriptedServer, _ gate: ServerGate) -> String {
    gate.address(server.url("/a").absoluteString)
  }

  @Test func itPassesNoMoreThanItIsTold() async throws {
    let (server, gate) = try start()
    gate.allow(500_000)
    let url = url(server, gate)
    async let outcome = Curl.run([url])
    #expect(await gate.wait(untilPassed: 500_000))
    #expect(gate.passedCount == 500_000)
    gate.allow(nil)
    #expect(try await outcome.output == Self.body)
    #expect(gate.passedCount > Self.body.count)
  }

  @Test func itGoesAwayAndComesBack() async throws {
    let (server, gate) = try start()
    gate.allow(500_000)
    let url = url(server, gate)
    async let outcome = Curl.run([url])
    #expect(await gate.wait(untilPassed: 500_000))
    try await gate.close()
    // Of what was announced, a part has come: CURLE_PARTIAL_FILE, or CURLE_RECV_ERROR for a reset.
    let status = try await outcome.status
    #expect([.exited(18), .exited(56)].contains(status), "\(status)")
    // CURLE_COULDNT_CONNECT.
    #expect(try await Curl.run([url]).status == .exited(7))
    gate.allow(nil)
    try gate.open()
    #expect(try await Curl.run([url]).output == Self.body)
  }

  @Test func dataConnectionsOfFTPPassThroughIt() async throws {
    var options = FTPServer.Options()
    options.passivePorts = try FreePort.pick(8)
    let server = try await FTPServer.start(options: options, largeSize: 1_000_000)
    let gate = try ServerGate(ports: [server.port] + options.passivePorts)
    let outcome = try await Curl.run([gate.address(server.url("/large.bin").absoluteString)])
    #expect(outcome.output == TestFiles.pattern(count: 1_000_000))
    #expect(gate.passedCount > 1_000_000)
    await server.stop()
  }
}
