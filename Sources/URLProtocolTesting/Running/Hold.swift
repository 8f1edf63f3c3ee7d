import URLLoading

/// Where a consumer stands still until it is let go.
final class Hold: Sendable {
  private let released = Observed(false)
  private let arrived = Observed(false)

  func release() { released.update { $0 = true } }

  /// Stands still on the calling thread, which must not belong to Swift's cooperative pool.
  func stand() {
    arrived.update { $0 = true }
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      _ = await released.wait(for: .seconds(600)) { $0 }
      semaphore.signal()
    }
    semaphore.wait()
  }

  /// Waits until somebody stands.
  func waitForArrival() async -> Bool { await arrived.wait { $0 } }
}
