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
