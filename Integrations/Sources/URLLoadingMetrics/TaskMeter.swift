import CoreMetrics
import Synchronization
import URLLoading
import URLLoadingTelemetry

/// Measures one task.
///
/// Mutable state: `state`, guarded by its lock, which is not held while a backend is called.
final class TaskMeter: URLSession.EventListener {
  private struct State {
    var queueEntry: ContinuousClock.Instant?
    /// Is recorded when it is known whether the load has failed by it.
    var last: URLSessionTaskTransactionMetrics?
    /// It was a redirect that is followed: what the load ends with is not its failure.
    var isAnswered = false
    /// The load has sent a request itself; those of background tasks are the transfer service's.
    var hasAttempt = false
  }

  private let meters: LoadMeters
  private let state = Mutex(State())

  init(_ meters: LoadMeters) {
    self.meters = meters
  }

  // MARK: The task

  func taskDidBegin(_ task: URLSessionTask) { meters.activeTasks.increment() }

  func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    leaveQueue()
    let error: (any Error)? =
      switch outcome {
      case .succeeded: nil
      case .failed(let error): error
      case .cancelled: URLError(.cancelled)
      }
    recordLast(replacedBy: nil, error)
    meters.activeTasks.decrement()
    meters.tasks[TaskDimensions(outcome, task)].recordNanoseconds(metrics.taskInterval.duration.nanoseconds)
  }

  // MARK: Requests

  func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String] {
    state.withLock { $0.hasAttempt = true }
    return [:]
  }

  func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {
    guard state.withLock({ $0.hasAttempt }) else { return }
    recordLast(replacedBy: transaction, nil)
  }

  func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) {
    guard request != nil else { return }
    state.withLock { $0.isAnswered = true }
  }

  /// - Parameters:
  ///   - error: why the load ends with it; nil where it goes on.
  ///   - fallback: the error's type where there is a failure that nobody has told of.
  private func recordLast(
    replacedBy next: URLSessionTaskTransactionMetrics?, _ error: (any Error)?, fallback: String? = nil
  ) {
    let (last, isAnswered) = state.withLock { state in
      defer {
        state.last = next
        state.isAnswered = false
      }
      return (state.last, state.isAnswered)
    }
    if let last { record(last, isAnswered ? nil : error.map { ErrorType.name(of: $0) }, fallback: fallback) }
  }

  private func record(_ metrics: URLSessionTaskTransactionMetrics, _ failure: String?, fallback: String?) {
    guard let transaction = TransactionDescription(metrics) else { return }
    let request = RequestDescription(metrics.request)
    let (sent, received) = (metrics.countOfRequestBodyBytesSent, metrics.countOfResponseBodyBytesReceived)
    let bytes = meters.bytes[request.scheme]
    if sent > 0 { bytes.sent.increment(by: sent) }
    if received > 0 { bytes.received.increment(by: received) }
    guard request.isHTTP else { return }
    let requests = meters.requests[
      RequestDimensions(
        request, transaction, failure: failure, fallback: fallback, hasServer: meters.options.recordsServers)]
    if let start = metrics.fetchStartDate, let end = metrics.responseEndDate {
      requests.duration.recordNanoseconds(end.timeIntervalSince(start).nanoseconds)
    }
    if sent > 0 { requests.sentBody.record(sent) }
    if transaction.status != nil { requests.receivedBody.record(received) }
  }

  // MARK: Waiting

  func taskDidEnterQueue(_ task: URLSessionTask) { state.withLock { $0.queueEntry = .now } }

  func taskDidLeaveQueue(_ task: URLSessionTask) { leaveQueue() }

  private func leaveQueue() {
    guard let entry = state.withLock({ $0.queueEntry.take() }) else { return }
    let wait = (ContinuousClock.now - entry).components
    meters.waits.recordNanoseconds(wait.seconds * 1_000_000_000 + wait.attoseconds / 1_000_000_000)
  }

  // MARK: Decisions

  func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {
    meters.retries[reason.rawValue].increment()
    // Nobody tells why.
    if case .failure = reason { recordLast(replacedBy: nil, nil, fallback: "_OTHER") }
  }

  func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason) {
    meters.cache["hit"].increment()
  }

  func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {
    meters.cache["miss"].increment()
  }

  func task(_ task: URLSessionTask, didValidate answer: URLResponse) { meters.cache["validated"].increment() }
}

extension TimeInterval {
  /// Not less than none: the clock may have been set back.
  fileprivate var nanoseconds: Int64 { Int64((Swift.min(Swift.max(0, self), 9e9) * 1e9).rounded()) }
}
