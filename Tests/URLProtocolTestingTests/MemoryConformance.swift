import Testing
import URLProtocolTesting

@Test(arguments: URLProtocolConformance.checks(for: MemoryFixture()))
func conforms(_ check: ConformanceCheck) async throws { try await check.run(MemoryFixture()) }
