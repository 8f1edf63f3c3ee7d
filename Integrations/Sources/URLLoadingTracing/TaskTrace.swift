import Synchronization
import Tracing
import URLLoading
import URLLoadingTelemetry

/// The spans of one task: one for the task, from its first resume to its end, and one for each attempt, from its request to the last byte of
/// its answer.
///
/// Mutable state: `state`, guarded by its lock, which is not held while the tracer is called.
final class TaskTrace: URLSession.EventListener {
  private struct State {
    var task: (any Span)?
    var attempt: AttemptSpan?
    /// How often a request went out.
    var sent = 0
    /// The last response of HTTP, from wherever.
    var status: Int?
    var isOver = false
  }

  private let tracer: any Tracer
  private let instrument: any Instrument
  private let parent: ServiceContext
  private let options: TracingEventListener.Options
  private let state = Mutex(State())

  init(
    _ tracer: any Tracer, _ instrument: any Instrument, parent: ServiceContext, _ options: TracingEventListener.Options
  ) {
    self.tracer = tracer
    self.instrument = instrument
    self.parent = parent
    self.options = options
  }

  private func name(of request: URLRequest?, _ description: RequestDescription) -> String {
    guard let request, let name = options.spanName else { return description.spanName }
    return name(request)
  }

  // MARK: The task

  func taskDidBegin(_ task: URLSessionTask) {
    let request = task.originalRequest
    let description = RequestDescription(request)
    // Not of the kind `client`: the attempts are, and there is one for each request on the wire.
    let span: any Span = tracer.startSpan(name(of: request, description), context: parent, ofKind: .internal)
    span.record(request, description, showsQueryValues: options.showsQueryValues)
    state.withLock { $0.task = span }
  }

  func task(_ task: URLSessionTask, didReceive response: URLResponse) {
    let status = (response as? HTTPURLResponse)?.statusCode
    state.withLock { $0.status = status }
  }

  func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    let (span, attempt, status) = state.withLock { state in
      state.isOver = true
      return (state.task.take(), state.attempt.take(), state.status)
    }
    let error: (any Error)? =
      switch outcome {
      case .succeeded: nil
      case .failed(let error): error
      case .cancelled: URLError(.cancelled)
      }
    attempt?.end(error)
    guard let span else { return }
    if let status { span.attributes["http.response.status_code"] = status }
    span.fail(with: error.map { ErrorType.name(of: $0) } ?? ErrorType.name(of: status))
    span.end()
  }

  // MARK: Attempts

  func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String] {
    let (parent, earlier, resends) = state.withLock { state -> ((any Span)?, AttemptSpan?, Int) in
      guard !state.isOver, let span = state.task else { return (nil, nil, 0) }
      defer { state.sent += 1 }
      return (span, state.attempt.take(), state.sent)
    }
    earlier?.end(nil)
    guard let parent else { return [:] }
    let description = RequestDescription(request)
    let span: any Span = tracer.startSpan(name(of: request, description), context: parent.context, ofKind: .client)
    span.record(request, description, showsQueryValues: options.showsQueryValues)
    if resends > 0, description.isHTTP { span.attributes["http.request.resend_count"] = resends }
    let isOver = state.withLock { state in
      if !state.isOver { state.attempt = AttemptSpan(span: span) }
      return state.isOver
    }
    if isOver {
      // A cancellation came meanwhile.
      AttemptSpan(span: span).end(URLError(.cancelled))
      return [:]
    }
    guard description.isHTTP, let url = request.url, options.propagates(url) else { return [:] }
    var fields: [String: String] = [:]
    instrument.inject(span.context, into: &fields, using: FieldInjector())
    return fields
  }

  func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {
    guard let transaction = TransactionDescription(transaction) else { return }
    state.withLock { $0.attempt?.transaction = transaction }
  }

  func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) {
    guard request != nil else { return }
    state.withLock { $0.attempt?.isAnswered = true }
  }

  func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error) {
    let (span, attempt) = state.withLock { ($0.task, $0.attempt.take()) }
    attempt?.end(error)
    span?.addEvent(SpanEvent(name: "waiting for connectivity"))
  }

  func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {
    switch reason {
    case .connectionLost: sendsAgain(because: reason.rawValue)
    // Nobody tells why.
    case .failure: state.withLock { $0.attempt.take() }?.end(nil, fallback: "_OTHER")
    // Another attempt begins, whose span says it.
    case .status, .networkChanged, .resourceChanged, .storedResponseGone:
      state.withLock { $0.attempt.take() }?.end(nil)
    }
  }

  func task(
    _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
    disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
  ) {
    let isProposed = disposition == .performDefaultHandling && challenge.proposedCredential != nil
    guard challenge.failureResponse != nil, isProposed || disposition == .useCredential && credential != nil else {
      return
    }
    sendsAgain(because: "challenge")
  }

  /// The attempt's request goes out once more, with the fields that it has.
  private func sendsAgain(because reason: String) {
    let (attempt, resends) = state.withLock { state in
      defer { state.sent += 1 }
      return (state.attempt, state.sent)
    }
    guard let span = attempt?.span else { return }
    span.attributes["http.request.resend_count"] = resends
    span.addEvent(SpanEvent(name: "resend", attributes: ["reason": .string(reason)]))
  }

  // MARK: The cache

  func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason) {
    note("hit", because: reason.name)
  }

  func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {
    note("miss", because: reason.name)
  }

  func task(_ task: URLSessionTask, didValidate answer: URLResponse) { note("validated", because: nil) }

  private func note(_ result: String, because reason: String?) {
    guard let span = state.withLock({ $0.task }) else { return }
    span.updateAttributes { attributes in
      attributes["url_loading.cache.result"] = result
      if let reason { attributes["url_loading.cache.reason"] = reason }
    }
  }
}
