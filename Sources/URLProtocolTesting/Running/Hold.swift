import URLLoading

/// Blocks a consumer until it is released.
final class Hold: Sendable {
  private let released = DispatchSemaphore(value: 0)
  private let arrived = Observed(false)

  func release() { released.signal() }

  /// Blocks the calling thread, which must not belong to Swift's cooperative pool.
  func block() {
    arrived.update { $0 = true }
    _ = released.wait(timeout: .now() + 600)
    // For the next one.
    released.signal()
  }

  /// Waits until a thread is blocked.
  func waitForArrival() async -> Bool { await arrived.wait { $0 } }
}
