/// The bytes of a task's bodies that were received, sent and reported.
struct ByteCounts: Sendable {
  private(set) var received: Int64 = 0
  private(set) var sent: Int64 = 0
  /// -1 when not known.
  private(set) var expectedToReceive: Int64 = 0
  /// What the delegate was last called with.
  private var reportedSent: Int64 = 0
  private var isReportQueued = false

  /// In both directions.
  var moved: Int64 { sent + received }

  /// What there is to move in both directions; -1 while that of one is not known.
  func total(toSend: Int64, hasResponse: Bool) -> Int64 {
    let toReceive = hasResponse ? expectedToReceive : -1
    // A server may announce any length.
    let (total, isTooLarge) = toSend.addingReportingOverflow(toReceive)
    return toSend < 0 || toReceive < 0 || isTooLarge ? -1 : total
  }

  // MARK: Counting

  mutating func received(more count: Int) { received += Int64(count) }
  mutating func received(total: Int64) { received = total }
  mutating func expects(_ length: Int64) { expectedToReceive = length }
  mutating func sent(total: Int64) { sent = total }

  /// The body is sent anew, from a byte of it on; what comes before was reported.
  mutating func sendsAnew(from first: Int64) {
    sent = first
    reportedSent = first
  }

  // MARK: Reports

  /// Whether there is something to report, and no report of it under way.
  /// - Parameter isObserved: whether somebody wants to know more than what was sent.
  func isReportDue(isObserved: @autoclosure () -> Bool) -> Bool {
    !isReportQueued && (sent != reportedSent || isObserved())
  }

  /// A report is under way.
  mutating func queueReport() { isReportQueued = true }

  /// The report is made now.
  /// - Returns: how many of the sent bytes it is about.
  mutating func takeReport() -> Int64 {
    isReportQueued = false
    defer { reportedSent = sent }
    // A body that is sent again starts from 0.
    return reportedSent <= sent ? sent - reportedSent : max(0, sent)
  }
}
