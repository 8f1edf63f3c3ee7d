import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct ExitGateTests {
  /// A gate that ends the threads that it keeps out, and counts them.
  private func makeGate() -> (gate: ExitGate, parkedCount: Watched<Int>) {
    let parkedCount = Watched(0)
    let gate = ExitGate(park: {
      parkedCount.update { $0 += 1 }
      Thread.exit()
      preconditionFailure("the thread has exited")
    })
    return (gate, parkedCount)
  }

  @Test func waitsForThoseInsideAndLetsNobodyIn() async {
    let (gate, parkedCount) = makeGate()
    let isInside = AsyncEvent()
    let mayLeave = AsyncEvent()
    let hasLeft = Locked(false)
    Thread.detachNewThread {
      gate.inside {
        isInside.signal()
        _ = mayLeave.waitBlocking()
        hasLeft.withLock { $0 = true }
      }
    }
    #expect(await isInside.wait())
    let hasClosed = AsyncEvent()
    Thread.detachNewThread {
      gate.close(waitingFor: .seconds(60))
      #expect(hasLeft.withLock { $0 })
      hasClosed.signal()
    }
    // In and out until the gate is closed.
    Thread.detachNewThread { while true { gate.inside {} } }
    #expect(await parkedCount.wait { $0 == 1 })
    #expect(!hasClosed.isSignalled)
    mayLeave.signal()
    #expect(await hasClosed.wait())
    Thread.detachNewThread { gate.inside { _ = Issue.record("A thread got in after the gate was closed.") } }
    #expect(await parkedCount.wait { $0 == 2 })
  }

  @Test func doesNotWaitForEver() {
    let (gate, _) = makeGate()
    gate.enter()
    gate.close(waitingFor: .milliseconds(20))
  }

  @Test func whoWaitsOutsideIsNotWaitedFor() async {
    let (gate, parkedCount) = makeGate()
    let isOutside = AsyncEvent()
    let mayReturn = AsyncEvent()
    Thread.detachNewThread {
      gate.enter()
      gate.outside {
        isOutside.signal()
        _ = mayReturn.waitBlocking()
      }
    }
    #expect(await isOutside.wait())
    let clock = ContinuousClock()
    let time = clock.measure { gate.close(waitingFor: .seconds(60)) }
    #expect(time < .seconds(30))
    mayReturn.signal()
    #expect(await parkedCount.wait { $0 == 1 })
  }
}
