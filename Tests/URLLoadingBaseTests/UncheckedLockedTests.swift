import Foundation
import Testing
import URLLoadingBase

@Suite struct UncheckedLockedTests {
  private final class Count {
    var value = 0
  }

  /// What is not `Sendable` goes in and out, and only one thread has it at a time.
  @Test func guardsWhatIsNotSendable() {
    let (threads, turns) = (8, 1000)
    let count = Count()
    let lock = UncheckedLocked<Count?>(nil)
    lock.withLock { $0 = count }
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      for _ in 0..<turns { lock.withLock { $0?.value += 1 } }
    }
    #expect(lock.withLock { $0 } === count)
    #expect(count.value == threads * turns)
  }

  @Test func aThrownErrorGivesTheLockBack() {
    let lock = UncheckedLocked(Count())
    #expect(throws: CocoaError.self) {
      try lock.withLock { count in
        count.value = 1
        throw CocoaError(.featureUnsupported)
      }
    }
    #expect(lock.withLock { $0.value } == 1)
  }
}
