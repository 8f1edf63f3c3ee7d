import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct BlockingPoolTests {
  @Test func isBoundedAndRunsEverything() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 4, idleTime: 1)
    let state = Watched((inside: 0, most: 0, done: 0))
    let gate = AsyncEvent()
    for _ in 0..<100 {
      pool.run {
        state.update {
          $0.inside += 1
          $0.most = max($0.most, $0.inside)
        }
        _ = gate.waitBlocking()
        state.update {
          $0.inside -= 1
          $0.done += 1
        }
      }
    }
    #expect(await state.wait { $0.inside == 4 })
    #expect(pool.threadCount == 4)
    gate.signal()
    #expect(await state.wait { $0.done == 100 })
    #expect(state.value.most == 4)
  }

  @Test func growsWhenAllAreBusy() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 64, idleTime: 1)
    let inside = Watched(0)
    let gate = AsyncEvent()
    for number in 1...64 {
      pool.run {
        inside.update { $0 += 1 }
        _ = gate.waitBlocking()
      }
      #expect(await inside.wait { $0 == number })
    }
    gate.signal()
  }

  @Test func idleThreadsEndAndNewOnesBegin() async throws {
    let pool = BlockingPool(name: "test", maximumThreadCount: 4, idleTime: 0.05)
    let count = Watched(0)
    for round in 1...5 {
      pool.run { count.update { $0 += 1 } }
      #expect(await count.wait { $0 == round })
      #expect(try await eventually { pool.threadCount == 0 })
    }
  }

  @Test func loneWorkReusesTheIdleThread() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 8, idleTime: 5)
    let count = Watched(0)
    for round in 1...200 {
      pool.run { count.update { $0 += 1 } }
      #expect(await count.wait { $0 == round })
    }
    #expect(pool.threadCount < 8)
  }

  @Test func workFromManyThreadsWhileOthersGoIdle() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 3, idleTime: 0.001)
    let count = Watched(0)
    for _ in 0..<8 {
      Thread.detachNewThread {
        for _ in 0..<1000 { pool.run { count.update { $0 += 1 } } }
      }
    }
    #expect(await count.wait(timeout: .seconds(30)) { $0 == 8000 })
  }

  @Test func workThatHasRunIsReleased() async {
    final class Token: Sendable {}
    let pool = BlockingPool(name: "test", maximumThreadCount: 1, idleTime: 1)
    let gate = AsyncEvent()
    let isBlocked = AsyncEvent()
    weak var released: Token?
    func add() {
      let token = Token()
      released = token
      pool.run { withExtendedLifetime(token) {} }
    }
    add()
    pool.run {
      isBlocked.signal()
      _ = gate.waitBlocking()
    }
    // Something waits all the time.
    pool.run {}
    #expect(await isBlocked.wait())
    #expect(released == nil)
    gate.signal()
  }
}
