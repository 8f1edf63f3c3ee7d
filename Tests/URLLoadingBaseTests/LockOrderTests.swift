#if DEBUG
import Foundation
import Testing
import URLLoadingBase

@Suite struct LockOrderTests {
  /// Later ranks under earlier ones, locks without a rank anywhere, and on each thread for itself.
  @Test func theRightOrderPasses() {
    let load = Locked(0, rank: .load)
    let session = Locked(0, rank: .session)
    let registry = UncheckedLocked(0, rank: .taskRegistry)
    let plain = Locked(0)
    for _ in 0..<2 {
      load.withLock { _ in
        plain.withLock { _ in session.withLock { _ in registry.withLock { $0 += 1 } } }
        registry.withLock { $0 += 1 }
        session.withLock { $0 += 1 }
      }
      registry.withLock { _ in plain.withLock { $0 += 1 } }
    }
    #expect(registry.withLock { $0 } == 4)
    registry.withLock { _ in
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        load.withLock { $0 += 1 }
        ended.signal()
      }
      ended.wait()
    }
    #expect(load.withLock { $0 } == 1)
  }

  /// After an error nothing is held.
  @Test func anErrorGivesTheRankBack() {
    let load = Locked(0, rank: .load)
    let session = Locked(0, rank: .session)
    #expect(throws: CocoaError.self) { try session.withLock { _ in throw CocoaError(.featureUnsupported) } }
    load.withLock { $0 += 1 }
    #expect(load.withLock { $0 } == 1)
  }

  /// Who does not wait for a lock is in no deadlock.
  @Test func aTryIsNoWait() {
    let load = Locked(1, rank: .load)
    let session = Locked(0, rank: .session)
    #expect(session.withLock { _ in load.withLockIfAvailable { $0 } } == 1)
  }

  @Test func theWrongOrderEndsTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let load = Locked(0, rank: .load)
      let session = Locked(0, rank: .session)
      let plain = Locked(0)
      session.withLock { _ in plain.withLock { _ in load.withLock { $0 += 1 } } }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("'load' is taken while 'session' is held"))
  }

  @Test func twoOfOneRankEndTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let first = UncheckedLocked(0, rank: .session)
      let second = Locked(0, rank: .session)
      first.withLock { _ in second.withLock { $0 += 1 } }
    }
  }
}
#endif
