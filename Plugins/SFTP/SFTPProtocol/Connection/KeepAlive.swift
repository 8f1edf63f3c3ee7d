/// When to ask a silent server whether it is there, and when to give it up (OpenSSH's ServerAliveInterval and
/// ServerAliveCountMax).
struct KeepAlive {
  enum Action: Equatable {
    case ask
    case giveUp
    case nothing
  }

  private let interval: UInt64
  private let limit: Int
  private var unanswered = 0
  private var lastQuestion: UInt64 = 0
  private(set) var nextTime: UInt64

  init(interval: Duration, limit: Int, now: UInt64 = MonotonicClock.now()) {
    self.interval = max(1_000_000, MonotonicClock.nanoseconds(interval))
    self.limit = max(1, limit)
    nextTime = now + self.interval
  }

  /// - Parameter isReading: false while nobody takes what the server sends, its answers included.
  mutating func check(_ now: UInt64, lastReceived: UInt64, isReading: Bool) -> Action {
    guard now >= nextTime else { return .nothing }
    let silence = now > lastReceived ? now - lastReceived : 0
    guard isReading, silence >= interval else {
      unanswered = 0
      nextTime = isReading ? lastReceived + interval : now + interval
      if nextTime <= now { nextTime = now + interval }
      return .nothing
    }
    // Anything that came since is an answer, however long ago that is by now.
    if lastReceived > lastQuestion { unanswered = 0 }
    if unanswered >= limit { return .giveUp }
    unanswered += 1
    lastQuestion = now
    nextTime = now + interval
    return .ask
  }
}
