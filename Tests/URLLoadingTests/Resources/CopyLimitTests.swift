import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// How many copies run at once.
@Suite(.timeLimit(.minutes(1))) struct CopyLimitTests {
  @Test func noMoreRunThanMay() async throws {
    let limit = CopyLimit(configuration: .ephemeral)
    let running = Watched((now: 0, most: 0, done: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask {
          try await limit.run {
            running.update {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            running.update {
              $0.now -= 1
              $0.done += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.value.done == 500 && running.value.most <= CopyLimit.count)
  }

  @Test func whoIsCancelledLeavesTheLine() async throws {
    let limit = CopyLimit(configuration: .ephemeral)
    let (mayEnd, begun) = (AsyncEvent(), Watched(0))
    let running = (0..<CopyLimit.count).map { _ in
      Task {
        try await limit.run {
          begun.update { $0 += 1 }
          _ = await mayEnd.wait()
        }
      }
    }
    #expect(await begun.wait { $0 == CopyLimit.count })
    let waiting = Task { try await limit.run { Issue.record("It has its turn.") } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    mayEnd.signal()
    for task in running { try await task.value }
    // All places are free again.
    try await limit.run {}
  }
}
