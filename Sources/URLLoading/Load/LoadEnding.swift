/// The end of a load: its outcome, and the continuation that waits for it, which is resumed once.
struct LoadEnding {
  /// Why the load failed.
  var error: (any Error)?
  /// Gets the resume data of a download or an upload that was cancelled for it.
  var resumeDataHandler: (@Sendable (Data?) -> Void)?
  /// Why the task fails as soon as it is resumed.
  var immediateError: URLError?
  /// The outcome that the resumed function has not taken yet.
  private var outcome: LoadPlan.Outcome?
  private var waiter: UnsafeContinuation<Void, Never>?
  private var isOver = false

  /// - Returns: whether the load has ended already, and will not resume the continuation.
  mutating func wait(_ function: UnsafeContinuation<Void, Never>) -> Bool {
    if !isOver { waiter = function }
    return isOver
  }

  /// The load has ended.
  /// - Returns: the continuation to resume.
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
