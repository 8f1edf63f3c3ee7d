/// How long to wait before a retry where no server says so: twice as long each time at most, and a random part of that ("full jitter").
struct RetryBackoff: Equatable, Sendable {
  /// The longest time before the first retry, in seconds.
  let first: TimeInterval
  /// What the times grow to, in seconds.
  let longest: TimeInterval
  let isJittered: Bool

  /// The longest time before a retry, in seconds.
  /// - Parameter number: from 1.
  func limit(before number: Int) -> TimeInterval {
    let doublings = min(max(0, number - 1), 62)
    let limit = min(longest, first * Double(1 << doublings))
    return limit > 0 ? limit : 0
  }

  /// The time before a retry, in seconds.
  func delay(before number: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
    let limit = limit(before: number)
    return isJittered && limit.isFinite ? .random(in: 0...limit, using: &generator) : limit
  }
}
