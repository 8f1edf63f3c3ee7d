/// The bytes of a task's bodies that were received, sent and reported.
struct ByteCounts: Sendable {
  var received: Int64 = 0
  var sent: Int64 = 0
  /// -1 when not known.
  var expectedToReceive: Int64 = 0
  /// What the delegate was last called with.
  var reportedSent: Int64 = 0
  var isReportQueued = false
}
