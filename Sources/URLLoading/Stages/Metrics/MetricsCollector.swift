/// Collects a task's metrics: one transaction for each attempt, with the protocol instance's figures where it reports some, else the
/// load's.
struct MetricsCollector {
  // A class: most tasks have none.
  private final class Transaction {
    let request: URLRequest
    var response: URLResponse?
    var fetchStart = Date()
    var responseStart: Date?
    var responseEnd: Date?
    var bytesReceived: Int64 = 0
    var reported: URLSessionTaskTransactionMetrics?
    var isStored = false
    /// When the last bytes of the body left.
    var bodySent: Date?

    init(_ request: URLRequest) {
      self.request = request
    }
  }

  private var start: Date?
  /// Whether metrics are collected.
  private var isWanted = false
  private var finishedTransactions: [URLSessionTaskTransactionMetrics] = []
  // Safe to share: no other value has it, so whoever is alone with the collector is alone with this.
  nonisolated(unsafe) private var current: Transaction?
  /// What another process has collected, in the place of what this one has.
  private var elsewhere: URLSessionTaskMetrics?

  /// The task was resumed for the first time.
  mutating func begin(isWanted: Bool) {
    self.isWanted = isWanted
    if isWanted { start = Date() }
  }

  mutating func beginTransaction(_ request: URLRequest, isStored: Bool = false) {
    guard isWanted else { return }
    endTransaction()
    current = Transaction(request)
    current?.isStored = isStored
  }

  /// What is delivered was stored.
  mutating func answersFromCache() { current?.isStored = true }

  mutating func responded(_ response: URLResponse) {
    current?.response = response
    current?.responseStart = Date()
  }

  mutating func sentBody() { current?.bodySent = Date() }

  mutating func received(_ count: Int) { current?.bytesReceived += Int64(count) }

  /// The protocol instance's figures replace the load's.
  mutating func replaceTransaction(_ metrics: URLSessionTaskTransactionMetrics) { current?.reported = metrics }

  /// The task was loaded by another process.
  mutating func replaceAll(with metrics: URLSessionTaskMetrics) { elsewhere = metrics }

  /// The attempt has reached nobody, and another will take its place: there may be thousands of them.
  mutating func dropTransaction() { current = nil }

  /// - Returns: the metrics of what has ended; nil where there was nothing.
  @discardableResult
  mutating func endTransaction() -> URLSessionTaskTransactionMetrics? {
    guard let transaction = current else { return nil }
    // One answer with two challenges has ended its transaction when the first was answered; where that came to nothing, nothing was sent.
    if let response = transaction.response, response === finishedTransactions.last?.response {
      current = nil
      return nil
    }
    transaction.responseEnd = Date()
    let metrics = Self.metrics(of: transaction)
    finishedTransactions.append(metrics)
    current = nil
    return metrics
  }

  /// The metrics of the whole task.
  func finished(redirectCount: Int) -> URLSessionTaskMetrics {
    if let elsewhere { return elsewhere }
    let end = Date()
    let start = min(start ?? end, end)
    return URLSessionTaskMetrics(
      transactionMetrics: finishedTransactions,
      taskInterval: DateInterval(start: start, end: end), redirectCount: redirectCount)
  }

  private static func metrics(of transaction: Transaction) -> URLSessionTaskTransactionMetrics {
    let metrics = transaction.reported ?? URLSessionTaskTransactionMetrics(request: transaction.request)
    if metrics.response == nil { metrics.response = transaction.response }
    if metrics.fetchStartDate == nil { metrics.fetchStartDate = transaction.fetchStart }
    if metrics.requestStartDate == nil { metrics.requestStartDate = transaction.fetchStart }
    if metrics.requestEndDate == nil { metrics.requestEndDate = metrics.requestStartDate }
    if metrics.responseStartDate == nil { metrics.responseStartDate = transaction.responseStart }
    // Classes know when a request's head was sent; libcurl does not tell when its body was.
    if let sent = transaction.bodySent, let end = metrics.requestEndDate, sent > end {
      metrics.requestEndDate = metrics.responseStartDate.map { max(end, min(sent, $0)) } ?? sent
    }
    if metrics.responseEndDate == nil { metrics.responseEndDate = transaction.responseEnd }
    if metrics.resourceFetchType == .unknown {
      metrics.resourceFetchType = transaction.isStored ? .localCache : .networkLoad
    }
    if transaction.reported == nil {
      metrics.countOfResponseBodyBytesReceived = transaction.bytesReceived
      metrics.countOfResponseBodyBytesAfterDecoding = transaction.bytesReceived
    }
    return metrics
  }
}
