/// Where the time of a request went, in milliseconds, as HTTP Archive 1.2 has it: -1 for what did not happen. `connect` includes `ssl`; the
/// sum of all others is the time of the entry.
struct HTTPArchiveTimings: Encodable, Equatable {
  var blocked: Double
  var dns: Double
  var connect: Double
  var ssl: Double
  var send: Double
  var wait: Double
  var receive: Double

  /// The sum, in milliseconds.
  var time: Double {
    // In whole microseconds, as the parts are, so that their sum is exact.
    let parts = [blocked, dns, connect, send, wait, receive].filter { $0 >= 0 }
    return Double(parts.reduce(0) { $0 + Int64(($1 * 1000).rounded()) }) / 1000
  }

  /// The timings of a transaction. Each part begins where the one before ends: dates that are missing, or lie before those, take no time.
  init(_ metrics: URLSessionTaskTransactionMetrics) {
    var clock = Clock(metrics.fetchStartDate ?? metrics.requestStartDate ?? metrics.responseStartDate)
    let isLocal = metrics.resourceFetchType == .localCache
    if isLocal || metrics.isReusedConnection {
      (dns, connect, ssl) = (-1, -1, -1)
      blocked = isLocal ? -1 : clock.milliseconds(to: metrics.requestStartDate)
    } else {
      blocked = clock.milliseconds(to: metrics.domainLookupStartDate ?? metrics.connectStartDate)
      dns = metrics.domainLookupEndDate.map { clock.milliseconds(to: $0) } ?? -1
      let start = clock
      connect = metrics.connectEndDate.map { clock.milliseconds(to: $0) } ?? -1
      ssl =
        connect < 0 || metrics.secureConnectionStartDate == nil
        ? -1 : start.part(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate, within: connect)
    }
    send = clock.milliseconds(to: metrics.requestEndDate)
    wait = clock.milliseconds(to: metrics.responseStartDate)
    receive = clock.milliseconds(to: metrics.responseEndDate)
  }

  /// A date that only goes forward.
  private struct Clock {
    private var now: Date?

    init(_ start: Date?) {
      now = start
    }

    /// Goes on to a date; 0 where that is not known or has passed.
    mutating func milliseconds(to date: Date?) -> Double {
      guard let date, let before = now, date > before else {
        if now == nil { now = date }
        return 0
      }
      now = date
      return Self.milliseconds(date.timeIntervalSince(before))
    }

    /// The length of a part of the next `limit` milliseconds.
    func part(_ start: Date?, _ end: Date?, within limit: Double) -> Double {
      guard let start, let end else { return 0 }
      return min(limit, max(0, Self.milliseconds(end.timeIntervalSince(max(start, now ?? start)))))
    }

    /// In whole microseconds.
    private static func milliseconds(_ seconds: TimeInterval) -> Double { (seconds * 1e6).rounded() / 1000 }
  }
}
