/// Makes events of what metrics say about a connection. They come more than once for one transaction: with the response's head, and at
/// the end.
struct ConnectionEvents {
  private struct Told: OptionSet {
    let rawValue: UInt8
    static let lookup = Told(rawValue: 1)
    static let connect = Told(rawValue: 2)
    static let security = Told(rawValue: 4)
    static let reuse = Told(rawValue: 8)
    static let sending = Told(rawValue: 16)
  }

  private var told = Told()
  /// What tells the transactions of one attempt apart: an answered challenge makes another.
  private var fetchStart: Date?

  /// The events that were not told yet.
  mutating func news(in metrics: URLSessionTaskTransactionMetrics) -> [LoadEvent] {
    if let start = metrics.fetchStartDate, start != fetchStart {
      fetchStart = start
      told = []
    }
    var events: [LoadEvent] = []
    if metrics.isReusedConnection {
      if told.insert(.reuse).inserted { events.append(.reused(metrics)) }
    } else {
      if let interval = Self.interval(metrics.domainLookupStartDate, metrics.domainLookupEndDate),
        told.insert(.lookup).inserted
      {
        events.append(.lookedUp(interval, metrics))
      }
      let connected = metrics.secureConnectionStartDate ?? metrics.connectEndDate
      if let interval = Self.interval(metrics.connectStartDate, connected), told.insert(.connect).inserted {
        events.append(.connected(interval, metrics))
      }
      if let interval = Self.interval(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate),
        told.insert(.security).inserted
      {
        events.append(.secured(interval, metrics))
      }
    }
    if let date = metrics.requestEndDate, told.insert(.sending).inserted { events.append(.sent(date, metrics)) }
    return events
  }

  /// Nil unless both ends are known. The clock may have been set back in between.
  private static func interval(_ start: Date?, _ end: Date?) -> DateInterval? {
    guard let start, let end else { return nil }
    return DateInterval(start: start, end: max(start, end))
  }
}
