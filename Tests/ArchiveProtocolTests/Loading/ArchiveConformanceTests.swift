import Testing
import URLProtocolTesting

/// Members of archives are resources like others.
@Suite(.timeLimit(.minutes(3))) struct ArchiveConformanceTests {
  @Test(arguments: URLProtocolConformance.checks(for: ArchiveFixture()))
  func deflatedMember(_ check: ConformanceCheck) async throws { try await check.run(ArchiveFixture()) }
}
