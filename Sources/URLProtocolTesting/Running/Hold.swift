import URLLoading

/// Blocks a consumer until it is released.
final class Hold: Sendable {
  private let released = Observed(false)
  private let arrived = Observed(false)

  func release() { released.update { $0 = true } }

  /// Blocks the calling thread, which must not belong to Swift's cooperative pool.
  func stand() {
    arrived.update { $0 = true }
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      _ = await released.wait(for: .seconds(600)) { $0 }
      semaphore.signal()
    }
    semaphore.wait()
  }

  /// Waits until a thread is blocked.
  func waitForArrival() async -> Bool { await arrived.wait { $0 } }
}
