import ServiceLifecycle
import URLLoading

/// A session as a service of swift-service-lifecycle: on a graceful shutdown it accepts no new loads, lets running ones finish for a time, and
/// cancels the rest.
///
/// ```swift
/// let loads = URLSessionService(session, finishingWithin: .seconds(20))
/// let group = ServiceGroup(services: [loads, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order: name the session ahead of those that load with it. See
/// <doc:URLLoadingServiceLifecycle>.
public struct URLSessionService: Service {
  private let session: URLSession
  private let limit: Duration

  /// Makes a service of a session, which is invalid when it has run.
  /// - Parameters:
  ///   - session: not `URLSession.shared`, which nothing ends.
  ///   - limit: how long loads may go on after a graceful shutdown has begun; 30 seconds unless set.
  public init(_ session: URLSession, finishingWithin limit: Duration = .seconds(30)) {
    self.session = session
    self.limit = limit
  }

  /// Waits for a graceful shutdown, then for the session's loads. If the surrounding `Task` is cancelled, they are too, and it returns when
  /// they have ended.
  public func run() async throws {
    // Throws where the task is cancelled: the call that follows cancels the loads then.
    try? await gracefulShutdown()
    await session.finishTasksAndInvalidate(within: limit)
  }
}
