import Testing
import URLProtocolTesting

/// The built-in protocol classes and the sample keep to what they declare.
@Suite(.timeLimit(.minutes(2))) struct ConformanceTests {
  @Test(arguments: URLProtocolConformance.checks(for: FileFixture()))
  func file(_ check: ConformanceCheck) async throws { try await check.run(FileFixture()) }

  @Test(arguments: URLProtocolConformance.checks(for: DataFixture()))
  func data(_ check: ConformanceCheck) async throws { try await check.run(DataFixture()) }

  @Test(arguments: URLProtocolConformance.checks(for: HTTPFixture()))
  func http(_ check: ConformanceCheck) async throws { try await check.run(HTTPFixture()) }

  @Test(arguments: URLProtocolConformance.checks(for: FTPFixture()))
  func ftp(_ check: ConformanceCheck) async throws { try await check.run(FTPFixture()) }

  @Test(arguments: URLProtocolConformance.checks(for: MemoryFixture()))
  func memorySample(_ check: ConformanceCheck) async throws { try await check.run(MemoryFixture()) }

  @Test(arguments: URLProtocolConformance.checks(for: BlockingFixture()))
  func blockingClass(_ check: ConformanceCheck) async throws { try await check.run(BlockingFixture()) }

  /// Without its faults, the class of the mutants is sound.
  @Test(arguments: URLProtocolConformance.checks(for: MutantFixture(fault: .none)))
  func soundMutant(_ check: ConformanceCheck) async throws { try await check.run(MutantFixture(fault: .none)) }
}
