/// What the transfers of a task did, for its program's delegate.
package struct BackgroundMetrics: Codable, Sendable {
  /// When the task began, as its program sees it.
  package var start: Date
  package private(set) var end: Date
  private var redirects: Int
  /// The last ones, in their order.
  package private(set) var transactions: [BackgroundTransaction]

  /// More are not kept: a task may be tried for days.
  private static let mostTransactions = 16
  /// In bytes: the end of a task, which they are told with, is one message.
  private static let largestSize = 128 << 10

  /// Those of one transfer.
  package init(_ metrics: URLSessionTaskMetrics) {
    start = metrics.taskInterval.start
    end = metrics.taskInterval.end
    redirects = metrics.redirectCount
    transactions = metrics.transactionMetrics.suffix(Self.mostTransactions).map { BackgroundTransaction($0) }
    limit()
  }

  /// These, and before them those of an earlier transfer of the task.
  package func following(_ earlier: BackgroundMetrics?) -> BackgroundMetrics {
    guard let earlier else { return self }
    var all = self
    all.start = min(earlier.start, start)
    all.redirects += earlier.redirects
    all.transactions = earlier.transactions + transactions
    all.limit()
    return all
  }

  private mutating func limit() {
    var (kept, size) = (0, 0)
    for transaction in transactions.reversed() {
      size += transaction.size
      guard kept < Self.mostTransactions, size <= Self.largestSize else { break }
      kept += 1
    }
    transactions = Array(transactions.suffix(kept))
  }

  /// Nil where nothing is known of any request.
  var taskMetrics: URLSessionTaskMetrics? {
    let known = transactions.compactMap(\.metrics)
    guard !known.isEmpty else { return nil }
    return URLSessionTaskMetrics(
      transactionMetrics: known, taskInterval: DateInterval(start: start, end: max(start, end)),
      redirectCount: redirects)
  }
}

extension BackgroundMetrics: CompactValue {
  /// More were never counted: they are added to those of other transfers.
  private static let mostRedirects = 1 << 40

  package func write(to writer: inout CompactWriter) {
    writer.moment(start)
    writer.moment(end)
    writer.integer(min(Self.mostRedirects, max(0, redirects)))
    writer.list(Array(transactions.suffix(Self.mostTransactions))) { $1.write(to: &$0) }
  }

  package init?(reading reader: inout CompactReader) {
    guard let start = reader.moment(), let end = reader.moment(), let redirects = reader.integer(Int.self),
      (0...Self.mostRedirects).contains(redirects),
      let transactions = reader.list(atMost: Self.mostTransactions, { BackgroundTransaction(reading: &$0) })
    else { return nil }
    (self.start, self.end, self.redirects, self.transactions) = (start, end, redirects, transactions)
  }
}
