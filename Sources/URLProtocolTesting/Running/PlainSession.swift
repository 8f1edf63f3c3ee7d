import URLLoading

/// A session without a delegate, whose loads of the class may be direct (`URLProtocolDirectLoading`). It has the class itself, and no spy.
struct PlainSession: Sendable {
  let session: URLSession

  init(_ context: CheckContext) {
    let configuration = context.fixture.configuration()
    configuration.protocolClasses = [context.fixture.protocolClass] + (configuration.protocolClasses ?? [])
    // What a direct load has no use for, and may be the fixture's.
    configuration.urlCache = nil
    configuration.waitsForConnectivity = false
    session = URLSession(configuration: configuration)
  }

  /// Loads by a completion handler.
  /// - Parameter meanwhile: what is done to the task once it was resumed.
  func load(_ request: URLRequest, meanwhile: (URLSessionTask) async throws -> Void = { _ in }) async throws
    -> LoadOutcome
  {
    let outcome = Observed(LoadOutcome())
    let task = session.dataTask(with: request) { body, response, error in
      outcome.update {
        ($0.body, $0.response, $0.error) = (body ?? Data(), response, error)
        $0.completions += 1
      }
    }
    task.resume()
    try await meanwhile(task)
    guard await outcome.wait(until: { $0.completions > 0 }) else { throw CancellationError() }
    var value = outcome.value
    value.countOfBytesReceived = task.countOfBytesReceived
    return value
  }

  /// Loads by an `async` function.
  func loadAsync(_ request: URLRequest) async -> LoadOutcome {
    var outcome = LoadOutcome(completions: 1)
    do { (outcome.body, outcome.response) = try await session.data(for: request) } catch { outcome.error = error }
    return outcome
  }

  func close() { session.invalidateAndCancel() }
}
