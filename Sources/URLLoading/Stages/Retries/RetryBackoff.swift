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
    guard first > 0, longest > 0 else { return 0 }
    return min(longest, first * Double(1 << (min(max(1, number), 63) - 1)))
  }

  /// The time before a retry, in seconds.
  func delay(before number: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
    let limit = limit(before: number)
    return isJittered && limit.isFinite ? .random(in: 0...limit, using: &generator) : limit
  }
}
