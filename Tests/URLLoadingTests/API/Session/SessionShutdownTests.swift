import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Sessions whose tasks finish within a time.
@Suite(.timeLimit(.minutes(4))) struct SessionShutdownTests {
  private final class Ended: NSObject, URLSessionDelegate {
    let count = Watched(0)
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { count.update { $0 += 1 } }
  }

  private let delegate = Ended()

  private func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private func ending(_ load: () async throws -> Void) async -> URLError.Code? {
    do {
      try await load()
      return nil
    } catch { return (error as? URLError)?.code ?? .unknown }
  }

  @Test func runningTasksFinish() async throws {
    let mayAnswer = Watched(false)
    let server = try ScriptedServer.http { _ in
      _ = mayAnswer.waitBlocking { $0 }
      return HTTPResponse(text: "late")
    }
    let session = session()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await server.waitForRequests(1))
    async let shutdown: Void = session.finishTasksAndInvalidate(within: .seconds(600))
    mayAnswer.update { $0 = true }
    await shutdown
    #expect(await end == nil)
    #expect(delegate.count.value == 1)
    #expect(await ending { _ = try await session.data(from: server.url()) } == .cancelled)
    // Once more has nothing to wait for.
    await session.finishTasksAndInvalidate(within: .seconds(600))
    #expect(delegate.count.value == 1)
  }

  @Test func theRestIsCancelled() async throws {
    let server = try ScriptedServer.silent()
    let session = session()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await server.waitForRequests(1))
    let begin = ContinuousClock.now
    await session.finishTasksAndInvalidate(within: .milliseconds(100))
    #expect(ContinuousClock.now - begin >= .milliseconds(100))
    #expect(await end == .cancelled)
    #expect(delegate.count.value == 1)
  }

  @Test func aCancelledCallerDoesNotWait() async throws {
    let server = try ScriptedServer.silent()
    let session = session()
    async let end = ending { _ = try await session.data(from: server.url()) }
    #expect(await server.waitForRequests(1))
    let shutdown = Task { await session.finishTasksAndInvalidate(within: .seconds(600)) }
    shutdown.cancel()
    await shutdown.value
    #expect(await end == .cancelled)
    #expect(delegate.count.value == 1)
  }

  @Test func theSharedSessionGoesOn() async throws {
    await URLSession.shared.finishTasksAndInvalidate(within: .seconds(600))
    _ = try await URLSession.shared.data(from: URL(stringLiteral: "data:,x"))
  }

  private final class Mock: URLSession, @unchecked Sendable {
    override func finishTasksAndInvalidate() {}
  }

  @Test func aMockThatDoesNotEndIsNotWaitedFor() async {
    await Mock().finishTasksAndInvalidate(within: .seconds(600))
  }
}
