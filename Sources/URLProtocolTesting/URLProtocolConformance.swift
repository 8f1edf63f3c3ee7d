import URLLoading

/// What every protocol class has to get right, as checks for any test framework:
///
/// ```swift
/// @Test(arguments: URLProtocolConformance.checks(for: ShelfFixture()))
/// func conforms(_ check: ConformanceCheck) async throws { try await check.run(ShelfFixture()) }
/// ```
public enum URLProtocolConformance {
  /// Every check that there is. A new concept adds its group here.
  static let all: [ConformanceCheck] =
    wholeLoads + responses + sequences + failures + cancelling + flow + concurrency + ranges + validators + resuming
    + uploads + listings + verbs + challenges + redirects + directLoads

  /// The checks that a class's capabilities ask for.
  /// - Parameters:
  ///   - protocolClass: the class to test.
  ///   - abilities: what the fixture will be able to do beyond placing bytes.
  public static func checks(
    for protocolClass: URLProtocol.Type, abilities: FixtureAbilities = []
  ) -> [ConformanceCheck] {
    all.filter { $0.applies(to: protocolClass, abilities) }
  }

  /// The checks that the capabilities of a fixture's class ask for and that its abilities allow.
  public static func checks(for fixture: any URLProtocolFixture) -> [ConformanceCheck] {
    checks(for: fixture.protocolClass, abilities: fixture.abilities)
  }

  /// Makes all checks, one after another.
  /// - Parameters:
  ///   - fixture: puts bytes behind URLs of the class.
  ///   - timeLimit: how long each check may take.
  public static func run(_ fixture: any URLProtocolFixture, timeLimit: Duration = .seconds(60)) async
    -> ConformanceReport
  {
    var report = ConformanceReport()
    for check in all {
      guard check.applies(to: fixture.protocolClass, fixture.abilities) else {
        report.leftOut.append(check.name)
        continue
      }
      do {
        try await check.run(fixture, timeLimit: timeLimit)
        report.passed.append(check.name)
      } catch {
        report.failures.append((check.name, error))
      }
    }
    return report
  }
}

extension ConformanceCheck {
  fileprivate func applies(to protocolClass: URLProtocol.Type, _ abilities: FixtureAbilities) -> Bool {
    protocolClass.capabilities.contains(capabilities) && abilities.isSuperset(of: self.abilities)
      && (!isOfDirectLoads || protocolClass is any URLProtocolDirectLoading.Type)
  }
}
