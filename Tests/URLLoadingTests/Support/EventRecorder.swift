import Foundation
import URLLoading
import URLLoadingTestServers

/// Writes down every event by a short name: `begin`, `response 200`, `finish network 302`.
///
/// Mutable state: in `log`, which guards it.
final class EventRecorder: URLSession.EventListener {
  struct Log: Sendable {
    var events: [Int: [String]] = [:]
    /// Tasks for which a method is running.
    var running: Set<Int> = []
    /// Tasks of which two methods ran at a time.
    var overlaps: Set<Int> = []
    var metrics: [Int: URLSessionTaskMetrics] = [:]
    var bodies = Data()
    var intervals: [String: DateInterval] = [:]
  }

  let log = Watched(Log())
  let wantsBodies: Bool
  private let hook: @Sendable (String, URLSessionTask) -> Void

  /// - Parameter hook: called inside of each event.
  init(wantsBodies: Bool = false, hook: @escaping @Sendable (String, URLSessionTask) -> Void = { _, _ in }) {
    self.wantsBodies = wantsBodies
    self.hook = hook
  }

  /// The events of the first task, or of one.
  func events(of task: Int = 1) -> [String] { log.read { $0.events[task] ?? [] } }

  /// The same without those that depend on whether there is a connection already.
  func steps(of task: Int = 1) -> [String] {
    events(of: task).filter { !["enter queue", "leave queue", "lookup", "connect", "secure", "reuse"].contains($0) }
  }

  func waitForEnd(of task: Int = 1) async -> Bool {
    await log.wait { $0.events[task]?.last?.hasPrefix("end") == true }
  }

  private func note(_ event: String, _ task: URLSessionTask, _ body: (inout Log) -> Void = { _ in }) {
    let number = task.taskIdentifier
    log.update {
      if !$0.running.insert(number).inserted { $0.overlaps.insert(number) }
      $0.events[number, default: []].append(event)
      body(&$0)
    }
    hook(event, task)
    log.update { _ = $0.running.remove(number) }
  }

  private func status(_ response: URLResponse?) -> String {
    (response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? (response == nil ? "none" : "other")
  }

  func taskDidBegin(_ task: URLSessionTask) { note("begin", task) }
  func task(_ task: URLSessionTask, didChoose protocolClass: URLProtocol.Type, for request: URLRequest) {
    note("choose \(request.url?.path ?? "")", task)
  }
  func taskDidEnterQueue(_ task: URLSessionTask) { note("enter queue", task) }
  func taskDidLeaveQueue(_ task: URLSessionTask) { note("leave queue", task) }
  func task(_ task: URLSessionTask, isWaitingForConnectivity error: any Error) { note("wait for connectivity", task) }
  func task(_ task: URLSessionTask, willRetry reason: URLSession.EventRetryReason) {
    note("retry \(reason.rawValue)", task)
  }
  func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {
    note("miss \(reason.name)", task)
  }
  func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason) {
    note("hit \(reason.name)", task)
  }
  func task(_ task: URLSessionTask, willValidate response: URLResponse, reason: URLSession.EventCacheReason) {
    note("validate \(reason.name)", task)
  }
  func task(_ task: URLSessionTask, didValidate answer: URLResponse) { note("validated \(status(answer))", task) }
  func task(_ task: URLSessionTask, didStore response: URLResponse) { note("store", task) }
  func task(_ task: URLSessionTask, didNotStore response: URLResponse, reason: URLSession.EventCacheReason) {
    note("no store \(reason.name)", task)
  }
  func task(
    _ task: URLSessionTask, didLookUpHost interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) { note("lookup", task) { $0.intervals["lookup"] = interval } }
  func task(_ task: URLSessionTask, didConnect interval: DateInterval, transaction: URLSessionTaskTransactionMetrics) {
    note("connect", task) { $0.intervals["connect"] = interval }
  }
  func task(
    _ task: URLSessionTask, didSecureConnection interval: DateInterval, transaction: URLSessionTaskTransactionMetrics
  ) { note("secure", task) { $0.intervals["secure"] = interval } }
  func task(_ task: URLSessionTask, didReuseConnection transaction: URLSessionTaskTransactionMetrics) {
    note("reuse", task)
  }
  func task(_ task: URLSessionTask, didSendRequest date: Date, transaction: URLSessionTaskTransactionMetrics) {
    note("send", task)
  }
  func task(_ task: URLSessionTask, didReceiveInformational response: HTTPURLResponse) {
    note("informational \(response.statusCode)", task)
  }
  func task(_ task: URLSessionTask, didReceive response: URLResponse) { note("response \(status(response))", task) }
  func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask) {
    note("become \(download.taskIdentifier)", task)
  }
  func task(_ task: URLSessionTask, didReceiveBody bytes: Data) { note("body", task) { $0.bodies += bytes } }
  func task(
    _ task: URLSessionTask, didRedirect response: URLResponse, to proposed: URLRequest, following request: URLRequest?
  ) { note("redirect \(request?.url?.path ?? "refused")", task) }
  func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) { note("challenge", task) }
  func task(
    _ task: URLSessionTask, didAnswer challenge: URLAuthenticationChallenge,
    disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
  ) { note("answer \(credential?.user ?? "-")", task) }
  func task(_ task: URLSessionTask, didPause reason: URLSession.EventPauseReason) {
    note("pause \(reason.rawValue)", task)
  }
  func task(_ task: URLSessionTask, didResume reason: URLSession.EventPauseReason) {
    note("resume \(reason.rawValue)", task)
  }
  func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {
    let source = transaction.resourceFetchType == .localCache ? "cache" : "network"
    note("finish \(source) \(status(transaction.response))", task)
  }
  func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    let text =
      switch outcome {
      case .succeeded: "end"
      case .cancelled: "end cancelled"
      case .failed(let error): "end failed \((error as NSError).code)"
      }
    note(text, task) { $0.metrics[task.taskIdentifier] = metrics }
  }
}

extension EventRecorder {
  /// A session whose events go here.
  func session(
    cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FakeProtocol.self, EventfulProtocol.self]
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = cache
    configuration.sessionEventListener = self
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }
}
