import Foundation

/// Keeps all transfers together below a rate: what has moved is paid for with time, and while too much is owed none moves or begins.
struct RateLimit {
  /// In seconds: what may be owed before transfers are held back.
  private static let burst = 0.25

  /// Nil for no limit.
  private(set) var bytesPerSecond: Int64?
  /// When all that has moved is paid for.
  private var paid = Date.distantPast
  private(set) var heldUntil: Date?
  private var isHeld = false

  /// Whether transfers are held back.
  var holds: Bool { heldUntil != nil }

  /// Sets another limit, nil for none. What is owed stays the same number of bytes.
  mutating func limit(to bytesPerSecond: Int64?, now: Date) {
    let owed = max(0, paid.timeIntervalSince(now)) * Double(self.bytesPerSecond ?? 0)
    self.bytesPerSecond = bytesPerSecond
    (paid, heldUntil) = (.distantPast, nil)
    if owed > 0 { owe(owed, now: now) }
  }

  /// Bytes have gone in either direction.
  mutating func moved(_ count: Int64, now: Date) {
    if count > 0 { owe(Double(count), now: now) }
  }

  /// Whether transfers are to be held back from now on, or no longer; nil where nothing changes.
  mutating func change(now: Date) -> Bool? {
    if let until = heldUntil, until <= now { heldUntil = nil }
    guard holds != isHeld else { return nil }
    isHeld = holds
    return holds
  }

  private mutating func owe(_ bytes: Double, now: Date) {
    guard let bytesPerSecond else { return }
    paid = max(paid, now).addingTimeInterval(bytes / Double(bytesPerSecond))
    // What is reported of transfers that are being held back comes on top.
    if holds || paid.timeIntervalSince(now) > Self.burst { heldUntil = paid }
  }
}
