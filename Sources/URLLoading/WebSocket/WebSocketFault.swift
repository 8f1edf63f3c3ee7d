/// What a peer did against RFC 6455.
struct WebSocketFault: Error, Equatable {
  /// What it is told (section 7.4.1).
  let code: UInt16
  /// What was wrong, in words that begin with a verb: "sent a frame …".
  let words: String

  init(_ code: UInt16, _ words: String) {
    self.code = code
    self.words = words
  }

  /// What the task ends with.
  func error(url: URL?) -> URLError {
    URLError(
      code == 1009 ? .dataLengthExceedsMaximum : .badServerResponse,
      message: "The WebSocket's peer \(words).", url: url)
  }
}
