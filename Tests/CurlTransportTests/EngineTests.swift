import Foundation
import Testing
import URLLoadingCurlTransport

/// What the engine does for many transfers, and at its end.
@Suite struct EngineTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test(arguments: [6, 0])
  func aThousandAtOnce(connectionsPerHost: Int) async throws {
    let server = try ScriptServer.answering(Self.ok)
    let engine = makeEngine(connectionsPerHost: connectionsPerHost)
    // Without a limit, only as many as file descriptors allow.
    let count = connectionsPerHost == 0 ? 200 : 1000
    let recorders = (0..<count).map { _ in Recorder() }
    for recorder in recorders { _ = engine.start(TransferRequest(url: server.url()), handler: recorder) }
    for recorder in recorders {
      let state = try await recorder.completion(120)
      #expect(state.events == ["queue", "head", "body", "complete"])
      #expect(state.body == Array("ok".utf8))
    }
    if connectionsPerHost > 0 { #expect(server.connectionCount <= connectionsPerHost) }
  }

  @Test func startedFromManyThreads() async throws {
    let server = try ScriptServer.answering(Self.ok)
    let engine = makeEngine()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 where try await engine.get(server.url()).body != Array("ok".utf8) { return false }
          return true
        }
      }
      for try await isGood in group { #expect(isGood) }
    }
  }

  @Test func aTransferThatWaitsForAConnectionSaysWhenItNoLongerDoes() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        _ = gate.wait(timeout: .now() + 60)
        connection.send(Self.ok)
      }
    }
    let engine = makeEngine(connectionsPerHost: 1)
    let first = Recorder()
    let second = Recorder()
    _ = engine.start(TransferRequest(url: server.url()), handler: first)
    _ = engine.start(TransferRequest(url: server.url()), handler: second)
    _ = try await first.wait { $0.events == ["queue"] }
    let other = try ScriptServer.answering(Self.ok)
    #expect(try await engine.get(other.url()).failure == nil)
    #expect(second.state.events.isEmpty)
    gate.signal()
    _ = try await second.wait { $0.events == ["queue"] }
    #expect(first.state.result != nil)
    gate.signal()
    #expect(try await second.completion().failure == nil)
  }

  @Test func shutdownFailsWhatRunsAndWhatComesLater() async throws {
    let arrived = Signal<Bool>()
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      arrived.send(true)
      connection.waitForClose()
    }
    let engine = makeEngine()
    let recorder = Recorder()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    _ = try await recorder.wait { !$0.body.isEmpty }
    engine.shutdown()
    engine.shutdown()
    let failure = try #require(try await recorder.completion().failure)
    #expect(failure.urlErrorCode.rawValue == -999)
    #expect(failure.reason == .engineShutDown)
    transfer.cancel()
    #expect(try await engine.get(server.url()).failure?.reason == .engineShutDown)
  }

  @Test func releasingTheEngineEndsItsTransfersAndConnections() async throws {
    let closed = Signal<Bool>()
    let server = try ScriptServer { connection, number in
      while connection.readHead() != nil {
        connection.send(number == 0 ? Self.ok : "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      }
      if number == 0 { closed.send(true) }
    }
    let recorder = Recorder()
    weak var weakEngine: TransferEngine?
    do {
      let engine = makeEngine()
      weakEngine = engine
      #expect(try await engine.get(server.url()).failure == nil)
    }
    #expect(await closed.wait() == true, "the idle connection is closed")
    #expect(weakEngine == nil)
    let running = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      connection.waitForClose()
    }
    do {
      let engine = makeEngine()
      _ = engine.start(TransferRequest(url: running.url()), handler: recorder)
      _ = try await recorder.wait { !$0.body.isEmpty }
    }
    #expect(try await recorder.completion().failure?.urlErrorCode.rawValue == -999)
  }

  @Test func handlersAndBodiesAreReleased() async throws {
    let server = try ScriptServer.answering(Self.ok)
    let engine = makeEngine()
    weak var weakRecorder: Recorder?
    weak var weakSource: TestBodySource?
    weak var weakTransfer: Transfer?
    do {
      let recorder = Recorder()
      let source = TestBodySource([1, 2, 3])
      let transfer = engine.start(
        TransferRequest(url: server.url(), method: "PUT", body: .source(source, length: 3)), handler: recorder)
      (weakRecorder, weakSource, weakTransfer) = (recorder, source, transfer)
      _ = try await recorder.completion()
    }
    let cancelled = Recorder()
    engine.start(TransferRequest(url: server.url()), handler: cancelled).cancel()
    // The loop lets go of them at the end of the turn that completed them.
    #expect(try await engine.get(server.url()).failure == nil)
    await withCheckedContinuation { continuation in
      EventLoop.shared.execute { EventLoop.shared.execute { continuation.resume() } }
    }
    #expect(weakRecorder == nil)
    #expect(weakSource == nil)
    #expect(weakTransfer == nil)
  }

  @Test func connectionsThatWereClosedAreNotUsedAgain() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        if head.contains("/slow") { _ = gate.wait(timeout: .now() + 60) }
        connection.send(Self.ok)
      }
    }
    let engine = makeEngine()
    #expect(try await engine.get(server.url()).failure == nil)
    let slow = Recorder()
    _ = engine.start(TransferRequest(url: server.url("/slow")), handler: slow)
    _ = try await slow.wait { $0.events == ["queue"] }
    engine.closeIdleConnections()
    let state = try await engine.get(server.url())
    #expect(state.metrics?.isReusedConnection == false)
    gate.signal()
    #expect(try await slow.completion().failure == nil, "a running transfer is not disturbed")
    #expect(try await engine.get(server.url()).metrics?.isReusedConnection == true)
    #expect(server.connectionCount == 2)
  }

  @Test func theLoopIsAnExecutor() async {
    actor OnLoop {
      nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
      func check() -> Bool {
        EventLoop.shared.checkIsolated()
        return EventLoop.shared.isIsolatingCurrentContext() == true
      }
    }
    #expect(await OnLoop().check())
    #expect(EventLoop.shared.isIsolatingCurrentContext() == false)
  }
}
