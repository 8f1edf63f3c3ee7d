import Foundation
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing
import URLLoading
import URLLoadingIntegrationsTestSupport
import URLLoadingServiceLifecycle

/// What becomes of loads when a program shuts down.
@Suite(.timeLimit(.minutes(4))) struct URLSessionServiceTests {
  private func makeSession() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration)
  }

  /// The code of the error that a load ends with; nil where it succeeds.
  private func ending(_ load: () async throws -> Void) async -> URLError.Code? {
    do {
      try await load()
      return nil
    } catch { return (error as? URLError)?.code ?? .unknown }
  }

  @Test func runningLoadsFinish() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return .response(200, [:], "late")
    }
    let session = makeSession()
    let data = try #require(URL(string: "data:,x"))
    async let load = session.data(from: server.url())
    #expect(await eventually { !server.requests.isEmpty })
    let service = URLSessionService(session, finishingWithin: .seconds(60))
    let isOver = SharedCounter()
    await testGracefulShutdown { trigger in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          try? await service.run()
          _ = isOver.next()
        }
        trigger.triggerGracefulShutdown()
        // New loads fail, as soon as the shutdown has begun.
        let isRefused = await eventually {
          await ending { _ = try await session.data(from: data) } == .cancelled
        }
        #expect(isRefused)
        #expect(isOver.count == 0)
        gate.open()
        await group.waitForAll()
      }
    }
    #expect(String(decoding: try await load.0, as: UTF8.self) == "late")
    #expect(isOver.count == 1)
  }

  @Test func whatIsLeftAfterTheTimeIsCancelled() async throws {
    let server = try LoopbackServer { _ in .silence }
    let session = makeSession()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await eventually { !server.requests.isEmpty })
    let begin = ContinuousClock.now
    await testGracefulShutdown { trigger in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await URLSessionService(session, finishingWithin: .milliseconds(200)).run() }
        trigger.triggerGracefulShutdown()
        await group.waitForAll()
      }
    }
    #expect(await end == .cancelled)
    #expect(ContinuousClock.now - begin >= .milliseconds(200))
    #expect(await ending { _ = try await session.data(from: server.url()) } == .cancelled)
  }

  @Test func aCancelledServiceCancelsItsLoads() async throws {
    let server = try LoopbackServer { _ in .silence }
    let session = makeSession()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await eventually { !server.requests.isEmpty })
    let running = Task { try? await URLSessionService(session, finishingWithin: .seconds(600)).run() }
    running.cancel()
    await running.value
    #expect(await end == .cancelled)
  }

  private struct Other: Service {
    let starts: SharedCounter

    func run() async throws {
      _ = starts.next()
      try await gracefulShutdown()
    }
  }

  @Test func aGroupShutsItDown() async throws {
    let server = try LoopbackServer { _ in .silence }
    let session = makeSession()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await eventually { !server.requests.isEmpty })
    let starts = SharedCounter()
    let group = ServiceGroup(
      services: [URLSessionService(session, finishingWithin: .milliseconds(50)), Other(starts: starts)],
      logger: Logger(label: "tests"))
    async let run: Void = group.run()
    #expect(await eventually { starts.count == 1 })
    await group.triggerGracefulShutdown()
    try await run
    #expect(await end == .cancelled)
  }

  @Test func aSessionWithoutLoadsEndsAtOnce() async throws {
    let begin = ContinuousClock.now
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      try? await URLSessionService(makeSession(), finishingWithin: .seconds(600)).run()
    }
    #expect(ContinuousClock.now - begin < .seconds(60))
  }
}
