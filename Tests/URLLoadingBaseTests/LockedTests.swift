import Foundation
import Testing
import URLLoadingBase

@Suite struct LockedTests {
  /// Many threads, with sections long enough that some have to sleep.
  @Test func nothingIsLostBetweenManyThreads() {
    let (threads, turns) = (16, 5000)
    let counts = Locked((total: 0, inside: 0, largestInside: 0))
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for turn in 0..<turns {
        counts.withLock { counts in
          counts.inside += 1
          counts.largestInside = max(counts.largestInside, counts.inside)
          counts.total += 1
          if (turn &+ thread).isMultiple(of: 500) { sched_yield() }
          counts.inside -= 1
        }
      }
    }
    let (total, inside, largestInside) = counts.withLock { $0 }
    #expect(total == threads * turns)
    #expect(inside == 0 && largestInside == 1)
  }

  /// A sleeper is woken, however long the lock was held.
  @Test func whoSleepsIsWoken() async {
    let lock = Locked(0)
    let (isHeld, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchGroup()
    Thread.detachNewThread {
      lock.withLock { value in
        isHeld.signal()
        mayGo.wait()
        value += 1
      }
    }
    isHeld.wait()
    let waiting = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      ended.enter()
      Thread.detachNewThread {
        waiting.signal()
        lock.withLock { $0 += 1 }
        ended.leave()
      }
    }
    for _ in 0..<4 { waiting.wait() }
    mayGo.signal()
    await withCheckedContinuation { done in ended.notify(queue: .global()) { done.resume() } }
    #expect(lock.withLock { $0 } == 5)
  }

  @Test func aThrownErrorGivesTheLockBack() {
    let lock = Locked("a")
    #expect(throws: CocoaError.self) {
      try lock.withLock { value in
        value = "b"
        throw CocoaError(.featureUnsupported)
      }
    }
    #expect(lock.withLock { $0 } == "b")
  }

  @Test func theValueGoesWithTheLastCopy() {
    final class Guest: Sendable {}
    weak var seen: Guest?
    do {
      let guest = Guest()
      seen = guest
      let first = Locked(guest)
      let second = first
      #expect(second.withLock { $0 } === guest)
    }
    #expect(seen == nil)
  }
}
