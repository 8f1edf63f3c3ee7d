/// What sends the bytes that a sink buffers: it counts them, and pauses.
protocol BufferedSource: AnyObject, Sendable {
  /// The consumer took buffered bytes.
  func consumed(_ count: Int)
}
