import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct ExitGateTests {
  @Test func waitsForThoseInsideAndLetsNobodyIn() async {
    let parked = AsyncEvent()
    let mayGo = AsyncEvent()
    let gate = ExitGate(park: {
      parked.signal()
      Thread.sleep(forTimeInterval: 0.5)
    })
    let isInside = AsyncEvent()
    let hasLeft = Locked(false)
    Thread.detachNewThread {
      gate.inside {
        isInside.signal()
        _ = mayGo.waitBlocking()
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
    let gotIn = AsyncEvent()
    Thread.detachNewThread {
      // Once it is closed: until then it may be in and out.
      while !parked.isSignalled { gate.inside {} }
      gotIn.signal()
    }
    #expect(await parked.wait())
    #expect(!hasClosed.isSignalled)
    mayGo.signal()
    #expect(await hasClosed.wait())
    #expect(!gotIn.isSignalled)
  }

  @Test func doesNotWaitForEver() {
    let gate = ExitGate(park: {})
    gate.enter()
    gate.close(waitingFor: .milliseconds(20))
  }

  @Test func whoWaitsOutsideIsNotWaitedFor() async {
    let gate = ExitGate(park: { Thread.sleep(forTimeInterval: 0.5) })
    let isOutside = AsyncEvent()
    let mayGo = AsyncEvent()
    Thread.detachNewThread {
      gate.enter()
      gate.outside {
        isOutside.signal()
        _ = mayGo.waitBlocking()
      }
    }
    #expect(await isOutside.wait())
    let clock = ContinuousClock()
    let time = clock.measure { gate.close(waitingFor: .seconds(60)) }
    #expect(time < .seconds(30))
    mayGo.signal()
  }
}
