import InMemoryTracing
import Synchronization
import Tracing

/// Keeps spans in memory, and propagates contexts as W3C's recommendation says: `traceparent` and `tracestate`.
package struct W3CTracer: Tracer {
  /// What has the spans.
  package let memory: InMemoryTracer

  /// Makes a tracer without spans.
  package init() {
    let last = Numbers()
    memory = InMemoryTracer(
      idGenerator: .init(
        nextTraceID: { Self.hexadecimal(last.next(), digits: 32) },
        nextSpanID: { Self.hexadecimal(last.next(), digits: 16) }), recordInjections: false, recordExtractions: false)
  }

  private final class Numbers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// The field that names a span.
  package static func traceparent(of span: FinishedInMemorySpan) -> String { "00-\(span.traceID)-\(span.spanID)-01" }

  package func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> InMemorySpan {
    memory.startSpan(
      operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
  }

  package func forceFlush() {}

  package func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let span = context.inMemorySpanContext else { return }
    injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    injector.inject("tests=1", forKey: "tracestate", into: &carrier)
  }

  package func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
}
