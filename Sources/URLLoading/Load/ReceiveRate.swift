internal import URLLoadingBase

/// Limits the receive rate of a load: a value that is fed counts and a clock.
///
/// CURLOPT_MAX_RECV_SPEED_LARGE of libcurl 7.88 does not limit bursts, and other classes have no such option.
struct ReceiveRate: Sendable {
  private let bytesPerSecond: Int
  private var start: MonotonicInstant?
  private var count: Int64 = 0

  init(bytesPerSecond: Int) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// Bytes have come.
  /// - Returns: when more is wanted; nil for at once.
  mutating func received(_ new: Int, at now: MonotonicInstant) -> MonotonicInstant? {
    let begun = start ?? now
    start = begun
    count += Int64(new)
    let due = begun.advanced(by: .seconds(Double(count) / Double(bytesPerSecond)))
    // Very short pauses cost more CPU time than they smooth the rate.
    return now.seconds(to: due) > 0.1 ? due : nil
  }
}
