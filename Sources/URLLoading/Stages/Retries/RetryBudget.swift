internal import URLLoadingBase

/// What the loads of a session may spend on retries: a bucket of tokens, as gRPC and Finagle have it. Where most loads fail, retries are few
/// beside them.
struct RetryBudget: Equatable, Sendable {
  private let settings: URLSessionConfiguration.RetryPolicy.Budget
  private var tokens: Double
  private var counted: MonotonicInstant

  init(_ settings: URLSessionConfiguration.RetryPolicy.Budget, at now: MonotonicInstant) {
    self.settings = settings
    tokens = max(0, settings.savedRetries)
    counted = now
  }

  /// A load begins.
  mutating func loadBegins(at now: MonotonicInstant) {
    count(at: now)
    add(settings.retriesPerLoad)
  }

  /// A load wants to try again.
  /// - Returns: whether it may.
  mutating func withdraw(at now: MonotonicInstant) -> Bool {
    count(at: now)
    // Five fifths are one, whatever their sum is.
    guard tokens > 1 - 1e-6 else { return false }
    tokens = max(0, tokens - 1)
    return true
  }

  private mutating func count(at now: MonotonicInstant) {
    // Threads that ask at a time may come in another order than their clocks.
    guard counted < now else { return }
    add(settings.retriesPerSecond * counted.seconds(to: now))
    counted = now
  }

  private mutating func add(_ count: Double) {
    guard count > 0 else { return }
    tokens = min(max(0, settings.savedRetries), tokens + count)
  }
}
