import Foundation
import Testing
import URLLoadingCurlTransport

/// Cancelling, and what is left behind.
@Suite struct CancelTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// Waits until everything posted to the loop before was done.
  private func drainLoop() async {
    await withCheckedContinuation { continuation in
      EventLoop.shared.execute { EventLoop.shared.execute { continuation.resume() } }
    }
  }

  @Test func atOnce() async throws {
    let server = try ScriptServer.answering(Self.ok)
    let engine = makeEngine()
    for _ in 0..<50 {
      let recorder = Recorder()
      // On the loop, so that nothing can happen in between.
      EventLoop.shared.execute {
        let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
        transfer.cancel()
        transfer.cancel()
      }
      #expect(try await engine.get(server.url()).failure == nil)
      await drainLoop()
      #expect(recorder.state.events.isEmpty)
    }
  }

  /// The server stops at a step; the client cancels there and hears nothing more.
  @Test(arguments: [
    "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
  ])
  func atEveryStep(sent: String) async throws {
    let closed = Signal<Bool>()
    let arrived = Signal<Bool>()
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send(sent)
      arrived.send(true)
      connection.waitForClose()
      closed.send(true)
    }
    let recorder = Recorder()
    let engine = makeEngine()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    #expect(await arrived.wait() == true)
    if sent.hasSuffix("half") || sent.hasSuffix("abc\r\n") { _ = try await recorder.wait { !$0.body.isEmpty } }
    transfer.cancel()
    #expect(await closed.wait() == true, "the connection is closed")
    await drainLoop()
    #expect(recorder.state.result == nil)
  }

  @Test func whileQueuedAndWhilePaused() async throws {
    let arrived = Signal<Bool>()
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      arrived.send(true)
      connection.waitForClose()
    }
    let engine = makeEngine(connectionsPerHost: 1)
    let first = Recorder(flow: { _, _, _ in .pause })
    let second = Recorder()
    let firstTransfer = engine.start(TransferRequest(url: server.url()), handler: first)
    let secondTransfer = engine.start(TransferRequest(url: server.url()), handler: second)
    _ = try await first.wait { $0.pauses > 0 }
    #expect(second.state.events.isEmpty)
    secondTransfer.cancel()
    firstTransfer.cancel()
    let other = try ScriptServer.answering(Self.ok)
    #expect(try await engine.get(other.url()).failure == nil)
    #expect(second.state.events.isEmpty)
    #expect(first.state.result == nil)
  }

  @Test func fromWithinEveryCallback() async throws {
    let server = try ScriptServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000))
    let engine = makeEngine()
    let onHead = Recorder(onHead: { $0.cancel() })
    _ = engine.start(TransferRequest(url: server.url()), handler: onHead)
    _ = try await onHead.wait { $0.head != nil }
    let onBody = Recorder(flow: { transfer, _, _ in
      transfer.cancel()
      return .pause
    })
    _ = engine.start(TransferRequest(url: server.url()), handler: onBody)
    _ = try await onBody.wait { $0.pauses > 0 }
    #expect(try await engine.get(server.url()).body.count == 300_000)
    await drainLoop()
    #expect(onHead.state.result == nil)
    #expect(onBody.state.result == nil)
  }

  @Test func aSmallRestIsReadSoThatTheConnectionLives() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, number in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 302 Found\r\nContent-Length: 5000\r\n\r\n")
        if number == 0 { _ = gate.wait(timeout: .now() + 60) }
        connection.send(String(repeating: "x", count: 5000))
      }
    }
    let engine = makeEngine()
    let recorder = Recorder()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    _ = try await recorder.wait { $0.head != nil }
    transfer.cancel(discardingUpTo: 10_000)
    await drainLoop()
    for _ in 0..<10 { gate.signal() }
    // With one connection allowed the next request has to wait for the rest; here it may take another, so ask twice.
    let second = try await engine.get(server.url())
    #expect(second.failure == nil)
    #expect(recorder.state.body.isEmpty)
    #expect(recorder.state.result == nil)
    await drainLoop()
    let third = try await engine.get(server.url())
    #expect(third.metrics?.isReusedConnection == true)
  }

  /// The rest is longer than what may be discarded, or does not come.
  @Test(arguments: [50000, 500]) func aRestThatIsLargeOrDoesNotComeIsGivenUp(length: Int) async throws {
    let closed = Signal<Bool>()
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 302 Found\r\nContent-Length: \(length)\r\n\r\n")
      connection.waitForClose()
      closed.send(true)
    }
    let recorder = Recorder()
    let engine = makeEngine()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    _ = try await recorder.wait { $0.head != nil }
    transfer.cancel(discardingUpTo: 1000)
    #expect(await closed.wait() == true)
  }
}
