/// The delegate that answers challenges about the connections of a load, the session's or the task's. Equal for the same delegate.
public struct URLConnectionJudge: Hashable, Sendable {
  /// A number for each delegate of a session, never used again.
  let number: UInt64
}
