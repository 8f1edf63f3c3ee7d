internal import URLLoadingCurlTransport

/// How a load ends: what came of it, and who waits to hear that. Told once.
struct LoadEnding {
  /// Why the load failed.
  var error: (any Error)?
  /// Gets the resume data of a download or an upload that was cancelled for it.
  var resumeDataHandler: (@Sendable (Data?) -> Void)?
  /// Why the task fails as soon as it is resumed.
  var flaw: URLError?
  /// What the waiting function has not taken yet.
  private var outcome: LoadPlan.Outcome?
  private var waiter: UnsafeContinuation<Void, Never>?
  private var isOver = false

  /// - Returns: whether the load has ended, and nobody will resume the function.
  mutating func wait(_ function: UnsafeContinuation<Void, Never>) -> Bool {
    if !isOver { waiter = function }
    return isOver
  }

  /// The load has ended.
  /// - Returns: the function to resume.
  mutating func takeWaiter(_ outcome: LoadPlan.Outcome? = nil) -> UnsafeContinuation<Void, Never>? {
    isOver = true
    self.outcome = outcome
    defer { waiter = nil }
    return waiter
  }

  mutating func takeOutcome() -> LoadPlan.Outcome? {
    defer { outcome = nil }
    return outcome
  }
}
