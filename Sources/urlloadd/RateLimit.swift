import Foundation

/// Keeps all transfers together below a rate: they are held back when a second's share is used up.
struct RateLimit {
  /// Nil for no limit.
  var bytesPerSecond: Int64?
  private var start = Date.distantPast
  private var used: Int64 = 0
  private(set) var heldUntil: Date?

  /// Bytes have gone in either direction.
  mutating func moved(_ count: Int64, now: Date) {
    guard let bytesPerSecond, count > 0 else { return }
    if now.timeIntervalSince(start) > 1 {
      start = now
      used = 0
    }
    used += count
    guard used > bytesPerSecond / 4 else { return }
    // What came too early is made up for before the next.
    let due = start.addingTimeInterval(Double(used) / Double(bytesPerSecond))
    if due > now { heldUntil = due }
  }

  private var isHeld = false

  /// Whether transfers are to be held back from now on, or no longer; nil where nothing changes.
  mutating func change(now: Date) -> Bool? {
    if let until = heldUntil, until <= now { heldUntil = nil }
    let holds = heldUntil != nil
    guard holds != isHeld else { return nil }
    isHeld = holds
    return holds
  }
}
