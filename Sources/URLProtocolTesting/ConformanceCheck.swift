import URLLoading

/// A requirement on every protocol class with certain capabilities.
public struct ConformanceCheck: Sendable, Identifiable, CustomStringConvertible {
  /// What is checked, in a few words. No two checks have the same.
  public let name: String

  /// The check is made for classes that declare these.
  public let capabilities: URLProtocol.Capabilities

  /// The check is made with fixtures that can do this.
  public let abilities: FixtureAbilities

  /// The check is made for classes that load without an instance, too (`URLProtocolDirectLoading`).
  let isOfDirectLoads: Bool

  private let body: @Sendable (CheckContext, CheckSession) async throws -> Void

  /// - Parameter body: gets a session for all that needs none of its own. Sessions are closed at the end of the check.
  init(
    _ name: String, capabilities: URLProtocol.Capabilities = [], abilities: FixtureAbilities = [],
    isOfDirectLoads: Bool = false, body: @escaping @Sendable (CheckContext, CheckSession) async throws -> Void
  ) {
    self.name = name
    self.capabilities = capabilities
    self.abilities = abilities
    self.isOfDirectLoads = isOfDirectLoads
    self.body = body
  }

  /// The name.
  public var id: String { name }

  /// The name.
  public var description: String { name }

  /// Makes the check.
  /// - Parameters:
  ///   - fixture: puts bytes behind URLs of the class.
  ///   - timeLimit: how long the check may take. A class that hangs fails the check; its threads are not waited for. An
  ///     instance may take half of this, at most 10 seconds, to be released after its end.
  /// - Throws: ``ConformanceFailure`` when the class is wrong; else what the fixture threw.
  public func run(_ fixture: any URLProtocolFixture, timeLimit: Duration = .seconds(60)) async throws {
    let context = CheckContext(check: name, fixture: fixture, timeLimit: timeLimit)
    let result = Observed<Result<Void, any Error>?>(nil)
    let work = Task(executorPreference: CheckExecutor.shared) {
      do {
        try await body(context, context.session())
        try await context.closeSessions()
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
