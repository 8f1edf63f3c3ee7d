import URLLoading

/// Whether a load that failed is tried again, and when: the rule of sessions, with what `--retry` and its companions say.
///
/// The loop is `Loader`'s, and not the session's: it takes output back, and resumes what it has written to a pipe.
struct RetryPolicy: Sendable {
  let retries: Int
  let method: String
  /// Seconds between attempts; nil for longer and longer ones.
  var fixedDelay: TimeInterval?
  /// The request has a field `Idempotency-Key`.
  var hasKey = false

  /// Seconds to wait before another attempt, or nil for none.
  /// - Parameter attempt: attempts that failed so far, from 1.
  func delay(after error: any Error, attempt: Int) -> TimeInterval? { delay(after: .failure(error), attempt) }

  /// Seconds to wait before an attempt from the start, after one that could not be resumed; nil for none.
  /// - Parameter attempt: attempts that failed so far, from 1.
  func delayBeforeRestart(attempt: Int) -> TimeInterval? { delay(after: .mismatch, attempt) }

  /// Seconds to wait before another attempt, or nil for none.
  /// - Parameters:
  ///   - retryAfter: the field of that name (RFC 9110, section 10.2.3).
  ///   - attempt: attempts that failed so far, from 1.
  func delay(afterStatus status: Int, retryAfter: String?, attempt: Int, now: Date = Date()) -> TimeInterval? {
    delay(after: .status(status, retryAfter: retryAfter), attempt, at: now)
  }

  private func delay(after ending: RetriedEnding, _ attempt: Int, at now: Date = Date()) -> TimeInterval? {
    var generator = SystemRandomNumberGenerator()
    let request = RetriedRequest(method: method, hasKey: hasKey)
    return rule.delay(after: ending, of: request, retry: attempt, at: now, using: &generator)
  }

  private var rule: URLSessionConfiguration.RetryPolicy {
    var rule = URLSessionConfiguration.RetryPolicy()
    rule.maximumRetries = retries
    rule.statusCodes = [408, 500, 502, 503, 504]
    rule.refusalStatusCodes = [429]
    // What is printed is what is waited.
    rule.isJittered = false
    rule.maximumDelay = 300
    rule.firstDelay = fixedDelay ?? 0.5
    rule.maximumBackoff = fixedDelay ?? 30
    return rule
  }
}
