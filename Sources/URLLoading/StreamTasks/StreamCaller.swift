internal import URLLoadingBase

/// An `async` function that is suspended on a read or a write of a stream, and may be cancelled.
///
/// Mutable state: `isCancelled`, guarded by its lock.
final class StreamCaller: Sendable {
  private let channel: StreamChannel
  private let isCancelled = Locked(false)

  init(_ channel: StreamChannel) {
    self.channel = channel
  }

  /// Makes the request of the channel. A cancellation may come before, at the same time, or after.
  func ask<Outcome>(
    _ continuation: UnsafeContinuation<Outcome, any Error>, _ request: (StreamChannel, StreamCaller) -> Void
  ) {
    guard !isCancelled.withLock({ $0 }) else { return continuation.resume(throwing: CancellationError()) }
    request(channel, self)
    // The cancellation came before the request.
    if isCancelled.withLock({ $0 }) { channel.withdraw(by: self) }
  }

  func cancel() {
    isCancelled.withLock { $0 = true }
    channel.withdraw(by: self)
  }
}
