import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct ProtocolDriverTests {
  /// Notes its calls, and runs what a test puts into its start.
  private class Noting: URLProtocol, URLProtocolPausing, @unchecked Sendable {
    let calls = Watched<[String]>([])
    let onStart = Watched<(@Sendable () -> Void)?>(nil)

    override func startLoading() {
      calls.update { $0.append("start") }
      onStart.value?()
      calls.update { $0.append("started") }
    }
    override func stopLoading() { calls.update { $0.append("stop") } }
    func pauseLoading() { calls.update { $0.append("pause") } }
    func resumeLoading() { calls.update { $0.append("resume") } }
  }

  private final class Quick: Noting, @unchecked Sendable {
    override class var capabilities: Capabilities { .startsWithoutBlocking }
  }

  private func make<P: URLProtocol>(_ type: P.Type) throws -> P {
    let url = try #require(URL(string: "test://x"))
    return type.init(request: URLRequest(url: url), cachedResponse: nil, client: nil)
  }

  @Test func nothingHappensBeforeItRuns() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    driver.post(.pause)
    #expect(instance.calls.value.isEmpty)
    driver.run()
    #expect(instance.calls.value == ["start", "started", "pause"])
    driver.post(.resume)
    driver.run()
    driver.post(.stop)
    driver.run()
    #expect(instance.calls.value == ["start", "started", "pause", "resume", "stop"])
  }

  @Test func stopBeforeStart() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    driver.post(.pause)
    driver.post(.stop)
    driver.run()
    driver.post(.stop)
    driver.post(.resume)
    driver.run()
    #expect(instance.calls.value.isEmpty)
  }

  @Test func stopFromWithinStart() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    instance.onStart.update {
      $0 = {
        driver.post(.stop)
        driver.run()
      }
    }
    driver.run()
    instance.onStart.update { $0 = nil }
    #expect(instance.calls.value == ["start", "started", "stop"])
  }

  @Test func oppositesThatWaitCancelOut() throws {
    let instance = try make(Quick.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    instance.onStart.update {
      $0 = {
        for _ in 0..<1000 {
          driver.post(.pause)
          driver.post(.resume)
        }
        driver.post(.pause)
        driver.run()
      }
    }
    driver.run()
    instance.onStart.update { $0 = nil }
    #expect(instance.calls.value == ["start", "started", "pause"])
  }

  @Test func stopsExactlyOnceFromManyThreads() async throws {
    for _ in 0..<200 {
      let instance = try make(Quick.self)
      let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            driver.run()
            driver.post(number % 2 == 0 ? .stop : .pause)
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
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    driver.run()
    #expect(await instance.calls.wait { $0 == ["start"] })
    driver.post(.stop)
    driver.run()
    #expect(instance.calls.value == ["start"])
    gate.signal()
    #expect(await instance.calls.wait { $0 == ["start", "started", "stop"] })
  }

  @Test(arguments: [ProtocolDriver.Command.resume, .stop])
  func pausedProducerIsHeldBackUntil(_ command: ProtocolDriver.Command) async throws {
    let instance = try make(Noting.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    let reached = AsyncEvent()
    let passed = AsyncEvent()
    instance.onStart.update {
      $0 = {
        driver.post(.pause)
        reached.signal()
        driver.waitWhilePaused()
        passed.signal()
      }
    }
    driver.run()
    #expect(await reached.wait())
    // Nobody else is held back.
    driver.waitWhilePaused()
    #expect(!passed.isSignalled)
    driver.post(command)
    driver.run()
    #expect(await passed.wait())
    #expect(await instance.calls.wait { $0.contains("started") })
    instance.onStart.update { $0 = nil }
  }

  @Test func pausesAndResumesFromAnotherThreadLoseNoWakeUp() async throws {
    let instance = try make(Noting.self)
    let driver = ProtocolDriver(instance, blocks: ProtocolDriver.blocks(type(of: instance)))
    let isDone = Watched(false)
    instance.onStart.update {
      $0 = {
        for _ in 0..<20_000 { driver.waitWhilePaused() }
        isDone.update { $0 = true }
      }
    }
    driver.run()
    let toggler = Thread {
      while !isDone.value {
        driver.post(.pause)
        driver.post(.resume)
      }
    }
    toggler.start()
    #expect(await isDone.wait(timeout: .seconds(30)) { $0 })
    driver.post(.stop)
    driver.run()
    #expect(await instance.calls.wait { $0.last == "stop" })
    instance.onStart.update { $0 = nil }
  }
}
