/// What a program may say about a background task until it ends.
package struct BackgroundTaskHints: Codable, Sendable, Hashable {
  package var label: String?
  package var priority: Float = URLSessionTask.defaultPriority
  package var earliestBegin: Date?
  /// In bytes; -1 when nobody has said.
  package var expectedToSend = NSURLSessionTransferSizeUnknown
  package var expectedToReceive = NSURLSessionTransferSizeUnknown

  package init() {}

  /// With a label that leaves room for the request in a message.
  package var shortened: BackgroundTaskHints {
    var hints = self
    hints.label = label.map { String($0.prefix(10_000)) }
    return hints
  }
}

extension BackgroundTaskHints: CompactValue {
  package func write(to writer: inout CompactWriter) {
    writer.optional(label) { $0.text($1) }
    writer.double(Double(priority.isFinite ? priority : URLSessionTask.defaultPriority))
    writer.optional(earliestBegin) { $0.moment($1) }
    writer.integer(expectedToSend)
    writer.integer(expectedToReceive)
  }

  package init?(reading reader: inout CompactReader) {
    // A priority that is no number has no place in an order.
    guard let label = reader.optional({ $0.text() }), let priority = reader.double().map({ Float($0) }),
      priority.isFinite,
      let earliestBegin = reader.optional({ $0.moment() }), let toSend = reader.integer(Int64.self),
      let toReceive = reader.integer(Int64.self)
    else { return nil }
    self.init()
    self.label = label
    self.priority = priority
    self.earliestBegin = earliestBegin
    (expectedToSend, expectedToReceive) = (toSend, toReceive)
  }
}
