internal import URLLoadingBase

/// The retries of a session: the policy, and what is left of its budget.
///
/// Mutable state: `budget`, guarded by its lock, under which nothing else is taken.
final class SessionRetries: Sendable {
  let policy: URLSessionConfiguration.RetryPolicy
  /// Nil for no limit.
  private let budget: Locked<RetryBudget?>

  /// Nil for a session that tries nothing again.
  init?(_ policy: URLSessionConfiguration.RetryPolicy?) {
    guard let policy, policy.maximumRetries > 0 else { return nil }
    self.policy = policy
    budget = Locked(policy.budget.map { RetryBudget($0, at: .now) })
  }

  /// A load begins, which adds to what may be spent.
  func loadBegins() {
    budget.withLock { $0?.loadBegins(at: .now) }
  }

  /// Spends a retry.
  /// - Returns: false where none is left.
  func withdraw() -> Bool {
    budget.withLock { $0?.withdraw(at: .now) ?? true }
  }
}
