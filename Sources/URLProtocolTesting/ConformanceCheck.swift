import URLLoading

/// One thing that every protocol class with certain capabilities has to get right.
public struct ConformanceCheck: Sendable, Identifiable, CustomStringConvertible {
  /// What is checked, in a few words. No two checks have the same.
  public let name: String

  /// The check is made for classes that declare these.
  public let capabilities: URLProtocol.Capabilities

  /// The check is made with fixtures that can do this.
  public let abilities: FixtureAbilities

  private let body: @Sendable (CheckContext) async throws -> Void

  init(
    _ name: String, capabilities: URLProtocol.Capabilities = [], abilities: FixtureAbilities = [],
    body: @escaping @Sendable (CheckContext) async throws -> Void
  ) {
    self.name = name
    self.capabilities = capabilities
    self.abilities = abilities
    self.body = body
  }

  /// The name.
  public var id: String { name }

  /// The name.
  public var description: String { name }

  /// Makes the check.
  /// - Parameters:
  ///   - fixture: puts bytes behind URLs of the class.
  ///   - timeLimit: how long the check may take. A class that hangs fails the check; what hangs is left behind. That an
  ///     instance is gone after its end may take half of this, 10 seconds at most.
  /// - Throws: ``ConformanceFailure`` when the class is wrong; else what the fixture threw.
  public func run(_ fixture: any URLProtocolFixture, timeLimit: Duration = .seconds(60)) async throws {
    let context = CheckContext(check: name, fixture: fixture, timeLimit: timeLimit)
    let result = Observed<Result<Void, any Error>?>(nil)
    let work = Task(executorPreference: CheckExecutor.shared) {
      do {
        try await body(context)
        result.update { $0 = .success(()) }
      } catch {
        result.update { $0 = .failure(error) }
      }
    }
    let isDone = await result.wait(for: timeLimit) { $0 != nil }
    // Nothing of this is waited for: it may hang in the class's code.
    CheckExecutor.shared.run {
      work.cancel()
      context.end()
    }
    try Task.checkCancellation()
    guard isDone else { throw context.overdue(timeLimit) }
    try result.value?.get()
  }
}
