import Testing
import URLLoadingTestServers
import URLProtocolTesting

/// Files of a real sshd are resources like others.
@Suite(.timeLimit(.minutes(5))) struct SFTPConformanceTests {
  @Test(arguments: URLProtocolConformance.checks(for: SSHProtocol.self, abilities: SFTPFixture.able))
  func sshd(_ check: ConformanceCheck) async throws {
    // Sanitizers make everything many times slower.
    try await check.run(try await SFTPFixture(), timeLimit: .seconds(Sanitizing.isOn ? 240 : 60))
  }
}
