import Testing
import URLLoadingCurlTransport

struct TransferMetricsTests {
  private func metrics(preTransfer: Double?, startTransfer: Double?, total: Double) -> TransferMetrics {
    let metrics = TransferMetrics()
    metrics.preTransfer = preTransfer
    metrics.startTransfer = startTransfer
    metrics.total = total
    return metrics
  }

  @Test func theEndOfTheQueueIsKeptWhereItFits() {
    let metrics = metrics(preTransfer: 0.1, startTransfer: 0.2, total: 0.5)
    metrics.recordQueueTime(3, elapsed: 3.5)
    #expect(metrics.queueTime == 3 && metrics.total == 0.5)
  }

  @Test func nothingIsLaterThanItWas() {
    // The thread was away for a second between libcurl's clock and the callback that tells of the connection.
    let metrics = metrics(preTransfer: 1, startTransfer: 1.25, total: 1.25)
    metrics.recordQueueTime(4, elapsed: 4.25)
    #expect(metrics.queueTime == 3 && metrics.total == 1.25)
  }

  @Test func theTotalHasNoneOfTheQueue() {
    // libcurl had it wait for two of its three seconds.
    let metrics = metrics(preTransfer: 0.25, startTransfer: 0.5, total: 3)
    metrics.recordQueueTime(2, elapsed: 3)
    #expect(metrics.queueTime == 2 && metrics.total == 1)
  }

  @Test func noQueueWasLeft() {
    let metrics = metrics(preTransfer: nil, startTransfer: nil, total: 0)
    metrics.recordQueueTime(nil, elapsed: 1)
    #expect(metrics.queueTime == nil && metrics.total == 0)
  }
}
