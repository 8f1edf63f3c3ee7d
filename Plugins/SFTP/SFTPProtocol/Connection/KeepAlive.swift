internal import URLLoadingBase

/// When to send a silent server a keep-alive request, and when to give it up (OpenSSH's ServerAliveInterval and
/// ServerAliveCountMax).
struct KeepAlive {
  enum Action: Equatable {
    case ask
    case giveUp
    case nothing
  }

  private let interval: Duration
  private let limit: Int
  private var unanswered = 0
  private var lastQuestion: MonotonicInstant
  private(set) var nextTime: MonotonicInstant

  init(interval: Duration, limit: Int, now: MonotonicInstant = .now) {
    self.interval = max(.milliseconds(1), interval)
    self.limit = max(1, limit)
    lastQuestion = now
    nextTime = now.advanced(by: self.interval)
  }

  /// - Parameter isReading: false while nothing is read from the server, its replies included.
  mutating func check(_ now: MonotonicInstant, lastReceived: MonotonicInstant, isReading: Bool) -> Action {
    guard now >= nextTime else { return .nothing }
    guard isReading, lastReceived.advanced(by: interval) <= now else {
      unanswered = 0
      nextTime = (isReading ? lastReceived : now).advanced(by: interval)
      return .nothing
    }
    // Any byte since the last request is a reply to it.
    if lastReceived > lastQuestion { unanswered = 0 }
    if unanswered >= limit { return .giveUp }
    unanswered += 1
    lastQuestion = now
    nextTime = now.advanced(by: interval)
    return .ask
  }
}
