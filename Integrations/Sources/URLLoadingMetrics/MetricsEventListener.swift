import CoreMetrics
import URLLoading

/// Measures the loads of sessions with swift-metrics: durations, active loads, open connections, waits, the cache, bytes and retries.
///
/// ```swift
/// configuration.sessionEventListener = MetricsEventListener()
/// ```
///
/// Where the program has no metrics backend, loads go as directly as without the listener. Several sessions may have the same listener, so
/// that what they do is added up. <doc:URLLoadingMetrics> lists what is measured.
public struct MetricsEventListener: URLSession.EventListener {
  /// Which dimensions measurements have.
  public struct Options: Sendable {
    /// Whether durations and sizes of requests are kept apart by `server.address` and `server.port`; a program that loads from many hosts
    /// may not want that.
    public var recordsServers = true
    /// How many combinations of dimensions are kept apart; the servers of further ones are `_OTHER`.
    public var maximumSeries = 1000

    /// Those that are said with the properties.
    public init() {}
  }

  /// Nil where nobody wants to know.
  private let meters: LoadMeters?

  /// Makes a listener that measures.
  /// - Parameters:
  ///   - factory: makes what measurements go to; nil for `MetricsSystem.factory` as it is now: bootstrap that first.
  ///   - options: which dimensions measurements have.
  public init(_ factory: (any MetricsFactory)? = nil, options: Options = Options()) {
    let factory = factory ?? MetricsSystem.factory
    meters = factory is NOOPMetricsHandler ? nil : LoadMeters(factory, options)
  }

  /// What measures one task; nil without a backend.
  public func listener(for request: URLRequest) -> (any URLSession.EventListener)? { meters.map { TaskMeter($0) } }

  /// Counts the connection.
  public func didOpenConnection(_ connection: URLSession.EventConnection) { meters?.openConnections.increment() }

  /// Counts it no longer.
  public func didCloseConnection(_ connection: URLSession.EventConnection) { meters?.openConnections.decrement() }
}
