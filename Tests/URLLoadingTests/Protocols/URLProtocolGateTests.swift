import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

@Suite struct URLProtocolGateTests {
  private func set(_ gate: URLProtocolGate, isOpen: Bool) {
    gate.set(isOpen: isOpen)
    gate.announce()
  }

  @Test func anOpenGateLetsThrough() async throws {
    let gate = URLProtocolGate()
    try await gate.waitUntilOpen()
    set(gate, isOpen: false)
    #expect(!gate.isOpen && !gate.hasEnded)
    set(gate, isOpen: true)
    try await gate.waitUntilOpen()
  }

  @Test func aClosedGateHoldsAllUntilItOpens() async throws {
    let gate = URLProtocolGate()
    set(gate, isOpen: false)
    let passed = Watched(0)
    let tasks = (0..<10).map { _ in
      Task {
        try await gate.waitUntilOpen()
        passed.update { $0 += 1 }
      }
    }
    let thread = Thread {
      try? gate.blockUntilOpen()
      passed.update { $0 += 1 }
    }
    thread.start()
    await Task.yield()
    #expect(passed.value == 0)
    set(gate, isOpen: true)
    for task in tasks { try await task.value }
    #expect(await passed.wait { $0 == 11 })
  }

  @Test func theEndEndsEveryWait() async throws {
    let gate = URLProtocolGate()
    set(gate, isOpen: false)
    let waiting = Task { try await gate.waitUntilOpen() }
    let isThrown = Watched<Bool?>(nil)
    let thread = Thread {
      do {
        try gate.blockUntilOpen()
        isThrown.update { $0 = false }
      } catch {
        isThrown.update { $0 = true }
      }
    }
    thread.start()
    await Task.yield()
    let count = Locked(0)
    gate.whenEnded { count.withLock { $0 += 1 } }
    for _ in 0..<2 {
      gate.end()
      gate.announce()
    }
    // The waiting task was not cancelled itself, and ends all the same.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(await isThrown.wait { $0 == true })
    #expect(count.withLock { $0 } == 1)
    set(gate, isOpen: true)
    #expect(!gate.isOpen && gate.hasEnded)
    await #expect(throws: CancellationError.self) { try await gate.waitUntilOpen() }
    #expect(throws: CancellationError.self) { try gate.blockUntilOpen() }
    gate.whenEnded { count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 2)
  }

  @Test func anObserverHearsOfEachChangeButNotOfTheEnd() {
    let gate = URLProtocolGate()
    let seen = Watched<[Bool]>([])
    gate.observe { isOpen in seen.update { $0.append(isOpen) } }
    #expect(seen.value.isEmpty)
    set(gate, isOpen: true)
    set(gate, isOpen: false)
    set(gate, isOpen: false)
    set(gate, isOpen: true)
    #expect(seen.value == [false, true])
    // Somebody may have looked at the gate while it was closed: the opening has to be announced.
    gate.set(isOpen: false)
    gate.set(isOpen: true)
    gate.announce()
    #expect(seen.value == [false, true, true])
    gate.end()
    gate.announce()
    #expect(seen.value == [false, true, true])
  }

  @Test func anObserverOfAClosedGateIsCalledAtOnce() {
    let gate = URLProtocolGate()
    gate.set(isOpen: false)
    let seen = Watched<[Bool]>([])
    gate.observe { isOpen in seen.update { $0.append(isOpen) } }
    #expect(seen.value == [false])
  }

  @Test func anObserverIsCalledOnceAtATimeAndLastWithTheLastState() async {
    let gate = URLProtocolGate()
    let state = Watched((inside: 0, overlaps: 0, last: true))
    gate.observe { isOpen in
      state.update {
        $0.inside += 1
        if $0.inside > 1 { $0.overlaps += 1 }
      }
      state.update {
        $0.inside -= 1
        $0.last = isOpen
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<1000 {
            gate.set(isOpen: number % 2 == 0)
            gate.announce()
          }
        }
      }
    }
    set(gate, isOpen: false)
    #expect(state.value.overlaps == 0 && state.value.last == false)
  }

  @Test func changesInQuickSuccessionLoseNobody() async throws {
    let gate = URLProtocolGate()
    let isDone = Watched(false)
    let toggler = Task.detached {
      while !isDone.value {
        gate.set(isOpen: false)
        gate.set(isOpen: true)
        gate.announce()
        await Task.yield()
      }
    }
    for _ in 0..<5000 { try await gate.waitUntilOpen() }
    isDone.update { $0 = true }
    await toggler.value
  }

  @Test func onlyTheThreadInStartLoadingIsHeldBack() async throws {
    let gate = URLProtocolGate()
    set(gate, isOpen: false)
    // Nobody produces.
    gate.holdBackProducer()
    let (reached, passed) = (AsyncEvent(), AsyncEvent())
    let thread = Thread {
      gate.asProducer {
        reached.signal()
        gate.holdBackProducer()
        passed.signal()
      }
    }
    thread.start()
    #expect(await reached.wait())
    gate.holdBackProducer()
    #expect(!passed.isSignalled)
    set(gate, isOpen: true)
    #expect(await passed.wait())
  }
}
