/// The retries of a load: whether an attempt is followed by another, and what that has to bring. A value that is fed events and answers with
/// a named action: no I/O, no clock, no locks.
struct RetryStage: Sendable {
  enum Action: Equatable, Sendable {
    /// What happened goes its usual way.
    case pass
    /// Another attempt follows, after so long.
    case retry(after: Duration)
  }

  /// What becomes of bytes of a response that is dropped.
  enum DropAction: Equatable, Sendable {
    /// They are few: the connection can be used again.
    case read
    /// The instance is stopped.
    case stop
  }

  /// What the attempt had brought when it ended.
  enum Progress: Equatable, Sendable {
    /// Nothing that its owner has: the next attempt brings all of it.
    case none
    /// A body that broke off: this is missing.
    case part(RangeExpectation)
  }

  /// Bytes that are read of a response that is dropped.
  static let mostDropped = 16 << 10

  private let policy: URLSessionConfiguration.RetryPolicy
  /// Retries so far.
  private(set) var count = 0
  /// What the last one is for.
  private(set) var reason = URLSession.EventRetryReason.failure
  /// What is missing of a body that broke off; nil where all of it is.
  private(set) var rest: RangeExpectation?
  /// Why it broke off: what the load fails with where the rest cannot be had.
  private(set) var failure: (any Error)?
  /// The request asks for a rest, or did.
  private var hasAsked = false
  private var dropped = 0

  init(_ policy: URLSessionConfiguration.RetryPolicy) {
    self.policy = policy
  }

  // MARK: The end of an attempt

  /// An attempt has failed, or has a response that may be dropped.
  /// - Parameters:
  ///   - ending: how it ended.
  ///   - request: what it sent.
  ///   - progress: what it had brought, where that is more than those before had.
  ///   - timeLeft: how long the load may still take; nil for no limit. A wait that would not end in time is not begun.
  ///   - withdraw: spends a retry of the session's, where all else permits it.
  mutating func attemptEnded(
    _ ending: RetriedEnding, of request: RetriedRequest, progress: Progress, at date: Date, timeLeft: Duration?,
    using generator: inout some RandomNumberGenerator, withdraw: () -> Bool
  ) -> Action {
    guard
      let seconds = policy.delay(after: ending, of: request, retry: count + 1, at: date, using: &generator),
      let delay = Duration(timeout: seconds), timeLeft.map({ delay < $0 }) ?? true, withdraw()
    else { return .pass }
    count += 1
    dropped = 0
    switch ending {
    case .failure(let error):
      reason = .failure
      if case .part(let part) = progress {
        rest = part
        failure = error
      }
    case .status: reason = .status
    case .mismatch: break
    }
    return .retry(after: delay)
  }

  /// Bytes of a response came that is dropped.
  /// - Parameter count: nil where it has ended.
  mutating func drops(_ count: Int?) -> DropAction {
    guard let count else { return .stop }
    dropped += min(count, Self.mostDropped + 1)
    return dropped > Self.mostDropped ? .stop : .read
  }

  // MARK: The rest of a body

  /// Asks for what is missing.
  /// - Parameter original: the task's own request, which may ask for a part by itself.
  /// - Returns: whether the request is another one now.
  mutating func ask(_ request: inout URLRequest, of original: URLRequest) -> Bool {
    guard rest != nil || hasAsked else { return false }
    hasAsked = rest != nil
    if let rest {
      rest.apply(to: &request)
    } else {
      for name in ["Range", "If-Range"] {
        request.setValue(original.value(forHTTPHeaderField: name), forHTTPHeaderField: name)
      }
    }
    return true
  }

  /// The rest comes, or is given up.
  mutating func endRest() {
    rest = nil
    failure = nil
  }
}
