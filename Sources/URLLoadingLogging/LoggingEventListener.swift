import Logging
import URLLoading

/// Logs what happens in the loads of a session.
///
/// ```swift
/// configuration.sessionEventListener = LoggingEventListener(Logger(label: "loads"))
/// ```
///
/// Each event is one message whose text is always the same (`response`, `redirect` …), so that it can be searched for; what it is about is
/// in the metadata: `task`, and by event `url`, `status`, `reason`, `duration` and more, as `EventMetadata` writes them. The end of a load
/// is logged at ``Levels/endings`` or ``Levels/failures``, decisions on the way at ``Levels/decisions``, all else at ``Levels/details``.
///
/// Passwords in URLs are `***`, and queries are left out; header fields, bodies and passwords are not logged. Of a challenge and its credential the realm and the
/// user's name are.
public struct LoggingEventListener: URLSession.EventListener {
  /// Which events are logged at which level.
  public struct Levels: Sendable {
    /// Loads that succeeded or were cancelled.
    public var endings = Logger.Level.info
    /// Loads that failed.
    public var failures = Logger.Level.warning
    /// Retries, redirects, challenges, waits for connectivity, and what the cache decides.
    public var decisions = Logger.Level.debug
    /// Everything else: connections, requests, responses, pauses.
    public var details = Logger.Level.trace

    /// Those that are said with the properties.
    public init() {}
  }

  private let logger: Logger
  private let levels: Levels
  /// Whether URLs are logged with their passwords and queries.
  private let includesSecrets: Bool

  /// Makes a listener that logs.
  /// - Parameters:
  ///   - logger: where to.
  ///   - levels: at which levels.
  ///   - includesSecrets: whether passwords and queries of URLs are logged as they are.
  public init(_ logger: Logger, levels: Levels = Levels(), includesSecrets: Bool = false) {
    self.logger = logger
    self.levels = levels
    self.includesSecrets = includesSecrets
  }

  private func log(
    _ level: Logger.Level, _ message: StaticString, _ task: URLSessionTask,
    _ body: (inout EventMetadata) -> Void = { _ in }
  ) {
    // Metadata is made for loggers that take it.
    guard logger.logLevel <= level else { return }
    var metadata = EventMetadata(task, includesSecrets: includesSecrets)
    body(&metadata)
    logger.log(level: level, "\(message)", metadata: metadata.values)
  }

  // MARK: Events

  /// Logs the event.
  public func session(_ session: URLSession, isWaitingForTransferService error: any Error) {
    guard logger.logLevel <= levels.decisions else { return }
    // The error has no URL, and nothing of a request.
    logger.log(
      level: levels.decisions, "waiting for the transfer service",
      metadata: ["error": "\(error.localizedDescription)"])
  }

  /// Logs the event.
  public func taskDidBegin(_ task: URLSessionTask) {
    log(levels.details, "load", task) { $0.record(task.originalRequest) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest) {
    log(levels.details, "attempt", task) {
      $0.record(request)
      $0["class"] = "\(protocolClass)"
    }
  }

  /// Logs the event.
  public func taskDidEnterQueue(_ task: URLSessionTask) { log(levels.details, "queued", task) }

  /// Logs the event.
  public func taskDidLeaveQueue(_ task: URLSessionTask) { log(levels.details, "left queue", task) }

  /// Logs the event.
  public func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error) {
    log(levels.decisions, "waiting for connectivity", task) { $0.record(error) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {
    log(levels.decisions, "retry", task) { $0["reason"] = "\(reason.rawValue)" }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {
    log(levels.decisions, "cache miss", task) { $0["reason"] = "\(reason.name)" }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason
  ) {
    log(levels.decisions, "cache hit", task) { $0["reason"] = "\(reason.name)" }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, willValidate response: URLResponse, reason: URLSession.EventCacheReason
  ) {
    log(levels.decisions, "cache validation", task) { $0["reason"] = "\(reason.name)" }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didValidate answer: URLResponse) {
    log(levels.decisions, "cache validated", task) { $0.record(answer) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didStore response: URLResponse) {
    log(levels.decisions, "stored", task) { $0.record(response) }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didNotStore response: URLResponse, reason: URLSession.EventCacheReason
  ) {
    log(levels.decisions, "not stored", task) { $0["reason"] = "\(reason.name)" }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didLookUpHost interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {
    log(levels.details, "looked up", task) { $0.record(interval) }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {
    log(levels.details, "connected", task) {
      $0.record(interval)
      $0.recordPeer(of: transaction)
    }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) {
    log(levels.details, "secured", task) {
      $0.record(interval)
      $0.recordTLS(of: transaction)
    }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics) {
    log(levels.details, "reused connection", task) { $0.recordPeer(of: transaction) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics) {
    log(levels.details, "sent", task)
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse) {
    log(levels.details, "informational response", task) { $0.record(response) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didReceive response: URLResponse) {
    log(levels.details, "response", task) { $0.record(response) }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask) {
    log(levels.details, "became download", task) { $0["download"] = "\(download.taskIdentifier)" }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) {
    log(levels.decisions, request == nil ? "redirect refused" : "redirect", task) {
      $0.record(response)
      let target = $0.text(of: (request ?? proposed).url)
      $0["to"] = target
    }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
    log(levels.decisions, "challenge", task) { $0.record(challenge) }
  }

  /// Logs the event.
  public func task(
    _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
    disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
  ) {
    log(levels.decisions, "challenge answered", task) {
      $0.record(challenge)
      $0["answer"] = "\(disposition)"
      if let user = credential?.user { $0["user"] = "\(user)" }
    }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didPause reason: URLSession.EventPauseReason) {
    log(levels.details, "paused", task) { $0["reason"] = "\(reason.rawValue)" }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didResume reason: URLSession.EventPauseReason) {
    log(levels.details, "resumed", task) { $0["reason"] = "\(reason.rawValue)" }
  }

  /// Logs the event.
  public func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    switch outcome {
    case .succeeded: log(levels.endings, "loaded", task) { $0.record(metrics, of: task) }
    case .cancelled: log(levels.endings, "cancelled", task) { $0.record(metrics, of: task) }
    case .failed(let error):
      log(levels.failures, "failed", task) {
        $0.record(metrics, of: task)
        $0.record(error)
      }
    }
  }
}
