import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

@Suite struct FlowGateTests {
  @Test func openLetsThrough() async throws {
    let gate = FlowGate()
    try await gate.wait()
    gate.close()
    gate.open()
    try await gate.wait()
  }

  @Test func closedHoldsAllUntilOpened() async throws {
    let gate = FlowGate()
    gate.close()
    let passed = Watched(0)
    let tasks = (0..<10).map { _ in
      Task {
        try await gate.wait()
        passed.update { $0 += 1 }
      }
    }
    await Task.yield()
    #expect(passed.value == 0)
    gate.open()
    for task in tasks { try await task.value }
    #expect(passed.value == 10)
  }

  @Test func abandonEndsEveryWait() async throws {
    let gate = FlowGate()
    gate.close()
    let waiting = Task { try await gate.wait() }
    await Task.yield()
    let action = AsyncEvent()
    gate.whenAbandoned { action.signal() }
    gate.abandon()
    // The waiting task was not cancelled itself, and ends all the same.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(action.isSignalled)
    gate.close()
    await #expect(throws: CancellationError.self) { try await gate.wait() }
    let late = AsyncEvent()
    gate.whenAbandoned { late.signal() }
    #expect(late.isSignalled)
  }

  @Test func theActionRunsOnce() {
    let gate = FlowGate()
    let count = Locked(0)
    gate.whenAbandoned { count.withLock { $0 += 1 } }
    gate.abandon()
    gate.abandon()
    #expect(count.withLock { $0 } == 1)
  }

  @Test func togglingLosesNobody() async throws {
    let gate = FlowGate()
    let isDone = Watched(false)
    let toggler = Task.detached {
      while !isDone.value {
        gate.close()
        gate.open()
        await Task.yield()
      }
    }
    for _ in 0..<5000 { try await gate.wait() }
    isDone.update { $0 = true }
    await toggler.value
  }
}
