import Testing

@testable import CurlTransport

/// Functions that go on from the loop's thread.
@Suite(.timeLimit(.minutes(1))) struct ResumptionTests {
  /// Waits until the loop has it go on, in a turn with others.
  private func waitOnLoop(_ before: @escaping @Sendable () -> Void = {}) async {
    await withUnsafeContinuation { continuation in
      EventLoop.shared.execute {
        before()
        EventLoop.resume(continuation)
      }
    }
  }

  @Test(arguments: [1, 2, 15, 16, 17, 1000])
  func allGoOn(count: Int) async {
    let done = await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await waitOnLoop() } }
      return await group.reduce(0) { done, _ in done + 1 }
    }
    #expect(done == count)
  }

  /// Whoever is held back for others to come does not wait for as long as there is something to do.
  @Test func goesOnWhileTheLoopIsBusy() async {
    let isBusy = Locked(true)
    @Sendable func keepBusy() {
      if isBusy.withLock({ $0 }) { EventLoop.shared.execute { keepBusy() } }
    }
    await waitOnLoop(keepBusy)
    await waitOnLoop()
    isBusy.withLock { $0 = false }
  }

  /// Elsewhere than on the loop there is no turn to wait for.
  @Test func goesOnAtOnceOnOtherThreads() async {
    #expect(!EventLoop.isLoopThread)
    await withUnsafeContinuation { EventLoop.resume($0) }
  }
}
