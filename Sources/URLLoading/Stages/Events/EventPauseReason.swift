extension URLSession {
  /// Why a load pauses. The raw value is for machines.
  @frozen public enum EventPauseReason: String, Sendable, CaseIterable {
    /// The task was suspended.
    case suspended = "suspended"
    /// The bytes that wait for the delegate or the reader of a stream have reached
    /// ``URLSessionConfiguration/maximumBufferedBytesPerTask``.
    case slowConsumer = "slow-consumer"
  }
}
