import Testing
import URLLoadingTestServers
import URLProtocolTesting

/// The built-in protocol classes keep to what they declare. The memory sample's test is the one that the manual shows.
@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
  /// Sanitizers make everything many times slower.
  private let limit = Duration.seconds(Sanitizing.isOn ? 240 : 60)

  @Test(arguments: URLProtocolConformance.checks(for: FileFixture()))
  func file(_ check: ConformanceCheck) async throws { try await check.run(FileFixture(), timeLimit: limit) }

  @Test(arguments: URLProtocolConformance.checks(for: DataFixture()))
  func data(_ check: ConformanceCheck) async throws { try await check.run(DataFixture(), timeLimit: limit) }

  @Test(arguments: URLProtocolConformance.checks(for: HTTPFixture()))
  func http(_ check: ConformanceCheck) async throws { try await check.run(HTTPFixture(), timeLimit: limit) }

  @Test(arguments: URLProtocolConformance.checks(for: UnixSocketFixture()))
  func unixSocket(_ check: ConformanceCheck) async throws { try await check.run(UnixSocketFixture(), timeLimit: limit) }

  @Test(arguments: URLProtocolConformance.checks(for: FTPFixture()))
  func ftp(_ check: ConformanceCheck) async throws { try await check.run(FTPFixture(), timeLimit: limit) }

  @Test(arguments: URLProtocolConformance.checks(for: BlockingFixture()))
  func blockingClass(_ check: ConformanceCheck) async throws {
    try await check.run(BlockingFixture(), timeLimit: limit)
  }

  /// Without its faults, the class of the mutants is sound.
  @Test(arguments: URLProtocolConformance.checks(for: MutantFixture(fault: .none)))
  func soundMutant(_ check: ConformanceCheck) async throws {
    try await check.run(MutantFixture(fault: .none), timeLimit: limit)
  }
}
