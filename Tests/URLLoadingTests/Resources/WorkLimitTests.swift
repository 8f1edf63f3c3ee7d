import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// How much runs at once.
@Suite(.timeLimit(.minutes(1))) struct WorkLimitTests {
  private static let capacity = 32

  @Test func noMoreRunThanMay() async throws {
    let limit = WorkLimit(Self.capacity)
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
    #expect(running.value.done == 500 && running.value.most <= Self.capacity)
  }

  @Test func whoIsCancelledLeavesTheLine() async throws {
    let limit = WorkLimit(Self.capacity)
    let (mayEnd, begun) = (AsyncEvent(), Watched(0))
    let running = (0..<Self.capacity).map { _ in
      Task {
        try await limit.run {
          begun.update { $0 += 1 }
          _ = await mayEnd.wait()
        }
      }
    }
    #expect(await begun.wait { $0 == Self.capacity })
    let waiting = Task { try await limit.run { Issue.record("It has its turn.") } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    mayEnd.signal()
    for task in running { try await task.value }
    // All places are free again.
    try await limit.run {}
  }

  /// Large work waits until there is room, in its turn, and what is larger than all has all for itself.
  @Test func unitsAreCounted() async throws {
    let limit = WorkLimit(8)
    let running = Watched((now: 0, most: 0, done: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        let units = [1, 3, 8, 100][number % 4]
        group.addTask {
          try await limit.run(units) {
            running.update {
              $0.now += min(units, 8)
              $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            running.update {
              $0.now -= min(units, 8)
              $0.done += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.value.done == 200 && running.value.most <= 8)
  }

  /// What waited after large work that is cancelled begins.
  @Test func whoIsCancelledLetsOthersBegin() async throws {
    let limit = WorkLimit(2)
    let (mayEnd, hasBegun) = (AsyncEvent(), AsyncEvent())
    let first = Task {
      try await limit.run {
        hasBegun.signal()
        _ = await mayEnd.wait()
      }
    }
    #expect(await hasBegun.wait())
    let large = Task { try await limit.run(2) {} }
    let small = Task { try await limit.run {} }
    large.cancel()
    await #expect(throws: CancellationError.self) { try await large.value }
    try await small.value
    mayEnd.signal()
    try await first.value
  }
}
