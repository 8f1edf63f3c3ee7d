/// The rate of the last five seconds.
struct RateMeter: Sendable {
  /// Seconds.
  static let window = 5.0

  private var samples: [(time: Double, count: Int64)] = []

  /// Adds how many bytes there were at a time in seconds.
  mutating func add(_ count: Int64, at time: Double) {
    if let last = samples.last, count < last.count { samples = [] }
    samples.append((time, count))
    while samples.count > 2, let first = samples.first, time - first.time > Self.window { samples.removeFirst() }
  }

  /// Bytes a second; nil in the first tenth of a second.
  var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= 0.1 else { return nil }
    return Double(last.count - first.count) / (last.time - first.time)
  }
}
