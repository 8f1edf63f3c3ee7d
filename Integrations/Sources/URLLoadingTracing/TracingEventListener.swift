import Tracing
import URLLoading

/// Traces the loads of a session with swift-distributed-tracing: a span for each task, with a child for each of its attempts, whose context
/// goes out with the request.
///
/// ```swift
/// configuration.sessionEventListener = TracingEventListener()
/// ```
///
/// Where the program has no tracer, loads go as directly as without the listener. <doc:URLLoadingTracing> has the attributes.
public struct TracingEventListener: URLSession.EventListener {
  /// What spans show, and where contexts go.
  public struct Options: Sendable {
    /// Whether `url.full` has the values of a query whose names do not say that they are secrets; otherwise all of them are `REDACTED`.
    public var showsQueryValues = false
    /// Whether a request to this URL gets the context of its span, in fields such as `traceparent`; all do unless set.
    public var propagates: @Sendable (URL) -> Bool = { _ in true }
    /// The name of the spans of a request; its method unless set. A name is to be one of few, so that no part of the URL belongs there
    /// but a template.
    public var spanName: (@Sendable (URLRequest) -> String)?

    /// Those that are said with the properties.
    public init() {}
  }

  private let tracer: (any Tracer)?
  private let options: Options

  /// Makes a listener that traces.
  /// - Parameters:
  ///   - tracer: what makes spans; nil for that of the code that makes a task: `InstrumentationSystem.tracer` there, and all instruments
  ///     of the system for fields of requests.
  ///   - options: what spans show, and where contexts go.
  public init(_ tracer: (any Tracer)? = nil, options: Options = Options()) {
    self.tracer = tracer
    self.options = options
  }

  /// The trace of one task, whose parent is the context of the code that makes the task; nil without a tracer.
  public func listener(for request: URLRequest) -> (any URLSession.EventListener)? {
    if let tracer {
      guard type(of: tracer) != NoOpTracer.self else { return nil }
      return TaskTrace(tracer, tracer, parent: .current ?? .topLevel, options)
    }
    let instrument = InstrumentationSystem.instrument
    // Each load passes here: types are compared, since a cast takes many times as long.
    let kind: any Instrument.Type = type(of: instrument)
    guard kind != NoOpInstrument.self, kind != NoOpTracer.self else { return nil }
    return TaskTrace(InstrumentationSystem.tracer, instrument, parent: .current ?? .topLevel, options)
  }
}
