internal import URLLoadingBase

/// A function that waits for a message, and may be cancelled.
///
/// Mutable state: `isCancelled`, guarded by its lock.
final class WebSocketReceiver: Sendable {
  private let isCancelled = Locked(false)

  /// Resumes the continuation with the next message. A cancellation may come before, at the same time, or after.
  func wait(
    _ continuation: UnsafeContinuation<URLSessionWebSocketTask.Message, any Error>, for channel: WebSocketChannel
  ) {
    guard !isCancelled.withLock({ $0 }) else { return continuation.resume(throwing: CancellationError()) }
    channel.receive(by: self) { continuation.resume(with: $0) }
    // The cancellation found nobody.
    if isCancelled.withLock({ $0 }) { channel.stopReceiving(self) }
  }

  func cancel(_ channel: WebSocketChannel) {
    isCancelled.withLock { $0 = true }
    channel.stopReceiving(self)
  }
}
