import CoreMetrics
import URLLoading

/// What the measurements of all loads go to.
final class LoadMeters: Sendable {
  /// Of one kind of request.
  struct OfRequests: Sendable {
    let duration: CoreMetrics.Timer
    let sentBody: Recorder
    let receivedBody: Recorder
  }

  /// Of one scheme.
  struct OfScheme: Sendable {
    let sent: Counter
    let received: Counter
  }

  let options: MetricsEventListener.Options
  let activeTasks: Meter
  let openConnections: Meter
  let waits: CoreMetrics.Timer
  let tasks: Series<TaskDimensions, CoreMetrics.Timer>
  let requests: Series<RequestDimensions, OfRequests>
  let bytes: Series<String, OfScheme>
  let cache: Series<String, Counter>
  let retries: Series<String, Counter>

  init(_ factory: any MetricsFactory, _ options: MetricsEventListener.Options) {
    self.options = options
    activeTasks = Meter(label: "url_loading.active_tasks", factory: factory)
    openConnections = Meter(label: "http.client.open_connections", factory: factory)
    waits = CoreMetrics.Timer(label: "http.client.request.time_in_queue", factory: factory)
    tasks = Series(maximum: options.maximumSeries) {
      CoreMetrics.Timer(label: "url_loading.task.duration", dimensions: $0.pairs, factory: factory)
    }
    requests = Series(maximum: options.maximumSeries, other: { $0.ofOtherServer }) { key in
      OfRequests(
        duration: CoreMetrics.Timer(label: "http.client.request.duration", dimensions: key.pairs, factory: factory),
        sentBody: Recorder(
          label: "http.client.request.body.size", dimensions: key.pairs, aggregate: true, factory: factory),
        receivedBody: Recorder(
          label: "http.client.response.body.size", dimensions: key.pairs, aggregate: true, factory: factory))
    }
    bytes = Series(maximum: options.maximumSeries) { scheme in
      let dimensions = [("url.scheme", scheme)]
      return OfScheme(
        sent: Counter(label: "url_loading.sent_bytes", dimensions: dimensions, factory: factory),
        received: Counter(label: "url_loading.received_bytes", dimensions: dimensions, factory: factory))
    }
    cache = Series(maximum: options.maximumSeries) {
      Counter(label: "url_loading.cache.lookups", dimensions: [("result", $0)], factory: factory)
    }
    retries = Series(maximum: options.maximumSeries) {
      Counter(label: "url_loading.retries", dimensions: [("reason", $0)], factory: factory)
    }
  }
}
