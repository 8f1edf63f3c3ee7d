import Testing
import URLLoadingTestServers
import URLProtocolTesting
import WebDAVProtocol

/// Files of real servers are resources like others.
@Suite(.timeLimit(.minutes(5))) struct WebDAVConformanceTests {
  private static let checks = URLProtocolConformance.checks(for: WebDAVProtocol.self, abilities: WebDAVFixture.able)

  @Test(arguments: WebDAVServer.Program.allCases, checks)
  func server(_ program: WebDAVServer.Program, _ check: ConformanceCheck) async throws {
    // Sanitizers make everything many times slower.
    try await check.run(try await WebDAVFixture(program), timeLimit: .seconds(Sanitizing.isOn ? 240 : 60))
  }
}
