import Foundation

/// What a transfer is to do, and since when. It is kept until libcurl has been told.
struct TransferOrder {
  let request: TransferRequest
  let handler: any TransferHandler
  /// When the engine began with it, in seconds since 1970, and on the monotonic clock in nanoseconds.
  private(set) var startTime = 0.0
  private(set) var startInstant: UInt64 = 0

  init(_ request: consuming TransferRequest, _ handler: any TransferHandler) {
    self.request = request
    self.handler = handler
  }

  mutating func start() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    startTime = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    startInstant = Reactor.now()
  }

  /// Tells the end of a transfer that libcurl never had.
  func fail(_ transfer: Transfer, _ failure: TransferFailure) {
    var failure = failure
    failure.metrics = TransferMetrics()
    failure.metrics.start = Date(timeIntervalSince1970: startTime)
    handler.transfer(transfer, didCompleteWith: .failure(failure))
  }
}
