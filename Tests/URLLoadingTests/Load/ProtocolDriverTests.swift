import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct ProtocolDriverTests {
  /// Notes its calls, and runs what a test puts into its start.
  private class Noting: URLProtocol, @unchecked Sendable {
    let calls = Watched<[String]>([])
    let onStart = Watched<(@Sendable () -> Void)?>(nil)

    override func startLoading() {
      calls.update { $0.append("start") }
      onStart.value?()
      calls.update { $0.append("started") }
    }
    override func stopLoading() { calls.update { $0.append("stop") } }
  }

  private final class Quick: Noting, @unchecked Sendable {
    override class var capabilities: Capabilities { .nonblocking }
  }

  private func make<P: URLProtocol>(_ type: P.Type) throws -> P {
    let url = try #require(URL(string: "test://x"))
    return type.init(request: URLRequest(url: url), cachedResponse: nil, client: nil)
  }

  @Test func nothingHappensBeforeItRuns() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, gate: URLProtocolGate())
    #expect(instance.calls.value.isEmpty)
    driver.run()
    #expect(instance.calls.value == ["start", "started"])
    driver.run()
    driver.stop()
    #expect(driver.gate.hasEnded)
    driver.run()
    driver.run()
    #expect(instance.calls.value == ["start", "started", "stop"])
  }

  @Test func stopBeforeStart() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, gate: URLProtocolGate())
    driver.stop()
    driver.run()
    driver.stop()
    driver.run()
    #expect(instance.calls.value.isEmpty)
  }

  @Test func stopFromWithinStart() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, gate: URLProtocolGate())
    instance.onStart.update {
      $0 = {
        driver.stop()
        driver.run()
      }
    }
    driver.run()
    instance.onStart.update { $0 = nil }
    #expect(instance.calls.value == ["start", "started", "stop"])
  }

  @Test func stopsExactlyOnceFromManyThreads() async throws {
    for _ in 0..<200 {
      let instance = try make(Quick.self)
      let driver = ProtocolDriver(instance, gate: URLProtocolGate())
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            driver.run()
            if number % 2 == 0 { driver.stop() }
            driver.run()
          }
        }
      }
      let calls = instance.calls.value
      #expect(calls.filter { $0 == "stop" }.count == (calls.contains("start") ? 1 : 0))
      #expect(calls.filter { $0 == "start" }.count <= 1)
      if calls.contains("stop") { #expect(calls.last == "stop") }
    }
  }

  @Test func blockingStartDoesNotBlockTheCaller() async throws {
    let instance = try make(Noting.self)
    let gate = AsyncEvent()
    instance.onStart.update { $0 = { _ = gate.waitBlocking() } }
    let driver = ProtocolDriver(instance, gate: URLProtocolGate())
    driver.run()
    #expect(await instance.calls.wait { $0 == ["start"] })
    driver.stop()
    driver.run()
    #expect(instance.calls.value == ["start"])
    gate.signal()
    #expect(await instance.calls.wait { $0 == ["start", "started", "stop"] })
  }

  @Test(arguments: [true, false])
  func aProducerIsHeldBackUntil(theGateOpens opens: Bool) async throws {
    let instance = try make(Noting.self)
    let driver = ProtocolDriver(instance, gate: URLProtocolGate())
    let reached = AsyncEvent()
    let passed = AsyncEvent()
    instance.onStart.update {
      $0 = {
        driver.gate.set(isOpen: false)
        reached.signal()
        driver.gate.holdBackProducer()
        passed.signal()
      }
    }
    driver.run()
    #expect(await reached.wait())
    #expect(!passed.isSignalled)
    if opens { driver.gate.set(isOpen: true) } else { driver.stop() }
    driver.run()
    #expect(await passed.wait())
    #expect(await instance.calls.wait { $0.contains("started") })
    instance.onStart.update { $0 = nil }
  }
}
