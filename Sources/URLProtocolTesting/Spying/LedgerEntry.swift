import URLLoading

/// The calls of and by one instance.
struct LedgerEntry: Sendable {
  let url: URL?
  var order = EventOrder()
  var starts = 0
  var stops = 0
  /// Bytes reported after `stopLoading()` returned.
  var bytesAfterStop = 0
  /// The instance released its client, as it does at the latest at its own end.
  var isReleased = false

  /// Throws what the instance got wrong, once its load has ended.
  func verify(_ context: CheckContext) throws {
    if let violation = order.violations.first {
      throw context.failure(
        url, expected: "(redirects or challenges), one response, data, then finish or a failure, and nothing more",
        happened: "there was \(violation)",
        advice: "Look at what calls the client: after an end, nothing may.")
    }
    try context.expect(
      bytesAfterStop <= FlowLimits.afterStop, url, "silence after stopLoading()",
      "\(bytesAfterStop) bytes came after it",
      "stopLoading() must end what sends: a flag that the sender looks at before each piece, or a cancel of its source."
    )
    try context.expect(
      starts == 1 && stops == 1, url, "one start and one stop", "there were \(starts) and \(stops)",
      "startLoading() has to return, else stopLoading() can never be called: a class that waits inside of it must have an end to that."
    )
    try context.expect(
      isReleased, url, "the instance to be gone soon after stopLoading()",
      "it still retained its client \(context.quietLimit.inSeconds) s later",
      "Something keeps it: a closure or a thread that never ends, a timer, a reference cycle. stopLoading() must undo it."
    )
  }
}
