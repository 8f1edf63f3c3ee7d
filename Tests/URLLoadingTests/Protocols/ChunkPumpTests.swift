import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

@Suite struct ChunkPumpTests {
  @Test func runsStepsOneAfterAnother() async {
    let pump = ChunkPump()
    let state = Watched((inside: 0, overlaps: 0, count: 0))
    pump.start {
      state.update {
        $0.inside += 1
        if $0.inside > 1 { $0.overlaps += 1 }
      }
      return state.update {
        $0.inside -= 1
        $0.count += 1
        return $0.count == 1000 ? .done : .more
      }
    }
    for _ in 0..<1000 { pump.wake() }
    #expect(await state.wait { $0.count == 1000 })
    pump.wake()
    #expect(state.value.overlaps == 0)
    #expect(state.value.count == 1000)
  }

  @Test func pausesAndGoesOn() async {
    let pump = ChunkPump()
    let gate = URLProtocolGate()
    pump.follow(gate)
    let count = Watched(0)
    let reached = AsyncEvent()
    pump.start {
      count.update { $0 += 1 }
      if count.value == 10 {
        gate.set(isOpen: false)
        reached.signal()
      }
      return count.value == 20 ? .done : .more
    }
    #expect(await reached.wait())
    pump.wake()
    #expect(count.value == 10)
    gate.set(isOpen: true)
    gate.announce()
    #expect(await count.wait { $0 == 20 })
  }

  @Test func aGateThatOpensAndClosesStallsNoPump() async {
    let (pump, gate) = (ChunkPump(), URLProtocolGate())
    pump.follow(gate)
    let isDone = Watched(false)
    let count = Watched(0)
    pump.start {
      count.update { $0 += 1 }
      guard count.value == 20_000 else { return .more }
      isDone.update { $0 = true }
      return .done
    }
    let toggler = Thread {
      while !isDone.value {
        gate.set(isOpen: false)
        gate.announce()
        gate.set(isOpen: true)
        gate.announce()
      }
    }
    toggler.start()
    #expect(await isDone.wait(timeout: .seconds(30)) { $0 })
  }

  @Test func aWakeThatComesBeforeTheWaitIsNotLost() async {
    let pump = ChunkPump()
    let count = Watched(0)
    pump.start {
      count.update { $0 += 1 }
      if count.value == 50 { return .done }
      // What the step waits for is there before it has said that it waits.
      pump.wake()
      return .wait
    }
    #expect(await count.wait { $0 == 50 })
  }

  @Test func wakesFromAnotherThreadAreNotLost() async {
    let pump = ChunkPump()
    let count = Watched(0)
    pump.start {
      count.update { $0 += 1 }
      if count.value >= 2000 { return .done }
      DispatchQueue.global().async { pump.wake() }
      return .wait
    }
    #expect(await count.wait(timeout: .seconds(30)) { $0 >= 2000 })
  }

  @Test func waitsUntilWoken() async {
    let pump = ChunkPump()
    let count = Watched(0)
    pump.start {
      count.update { $0 += 1 }
      return count.value < 3 ? .wait : .done
    }
    #expect(await count.wait { $0 == 1 })
    pump.wake()
    #expect(await count.wait { $0 == 2 })
    pump.wake()
    #expect(await count.wait { $0 == 3 })
  }

  @Test func aLonePumpStaysOnItsThread() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 8)
    let pump = ChunkPump(pool: pool)
    let count = Watched(0)
    pump.start {
      count.update { $0 += 1 }
      return count.value < 500 ? .more : .done
    }
    #expect(await count.wait { $0 == 500 })
    #expect(pool.threadCount == 1)
  }

  @Test func otherWorkThatWaitsGetsTheThread() async {
    let pool = BlockingPool(name: "test", maximumThreadCount: 1)
    let pump = ChunkPump(pool: pool)
    let hasOtherRun = AsyncEvent()
    pump.start { .more }
    pool.run { hasOtherRun.signal() }
    #expect(await hasOtherRun.wait())
    pump.stop()
  }

  @Test func stopLetsGoOfTheStep() async {
    final class Token: Sendable {}
    let pump = ChunkPump()
    weak var released: Token?
    let started = AsyncEvent()
    func begin() {
      let token = Token()
      released = token
      pump.start {
        withExtendedLifetime(token) {}
        started.signal()
        return .wait
      }
    }
    begin()
    #expect(await started.wait())
    pump.stop()
    pump.wake()
    let isGone = Locked(false)
    for _ in 0..<1000 where !isGone.withLock({ $0 }) {
      isGone.withLock { $0 = released == nil }
      await Task.yield()
    }
    #expect(await (try? eventually { released == nil }) == true)
  }
}
