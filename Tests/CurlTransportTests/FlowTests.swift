import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Pausing and resuming what is received.
@Suite struct FlowTests {
  private func bodyServer(_ body: [UInt8], chunked: Bool = false, closes: Bool = false) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        if chunked {
          connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
          var offset = 0
          while offset < body.count {
            let end = min(body.count, offset + 70_001)
            connection.send("\(String(end - offset, radix: 16))\r\n")
            connection.send(Array(body[offset..<end]) + [13, 10])
            offset = end
          }
          connection.send("0\r\nX-End: yes\r\n\r\n")
        } else {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
          connection.send(body)
        }
        if closes { return }
      }
    }
  }

  /// Pauses now and then, and resumes from another thread, sometimes before the pause has taken effect.
  @Test(arguments: [(false, false), (true, false), (false, true)])
  func bytesSurviveEveryPause(chunked: Bool, closes: Bool) async throws {
    let body = pattern(3_000_000, seed: 7)
    let server = try bodyServer(body, chunked: chunked, closes: closes)
    let counter = Locked(0)
    let recorder = Recorder(flow: { transfer, _, _ in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      guard count % 3 == 0 else { return .accepted }
      if count % 2 == 0 {
        transfer.resume()
      } else {
        DispatchQueue.global().async { transfer.resume() }
      }
      return .pause
    })
    let state = try await makeEngine().run(TransferRequest(url: server.url()), recorder: recorder)
    #expect(state.failure == nil)
    #expect(difference(state.body, from: body) == nil)
    #expect(state.pauses > 10)
    if chunked { #expect(state.trailers.map(\.name) == ["X-End"]) }
  }

  @Test func nothingComesWhilePaused() async throws {
    let body = pattern(2_000_000)
    let server = try bodyServer(body)
    let recorder = Recorder(onHead: { $0.pause() })
    let engine = makeEngine()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    _ = try await recorder.wait { $0.head != nil }
    // A second transfer to the end: the loop had every opportunity to deliver.
    let other = try await engine.get(server.url())
    #expect(difference(other.body, from: body) == nil)
    let before = recorder.state
    #expect(before.result == nil)
    #expect(before.body.count < body.count / 2)
    transfer.resume()
    #expect(try await difference(recorder.completion().body, from: body) == nil)
  }

  @Test func pausedBeforeTheConnectionExists() async throws {
    let body = pattern(100_000)
    let server = try bodyServer(body)
    let recorder = Recorder()
    let engine = makeEngine()
    let started = Signal<Transfer>()
    // On the loop, so that nothing can happen in between.
    EventLoop.shared.execute {
      let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
      transfer.pause()
      started.send(transfer)
    }
    let transfer = try #require(await started.wait())
    _ = try await recorder.wait { $0.events.contains("queue") }
    // Whether the head still comes depends on how far the transfer was.
    #expect(try await difference(engine.get(server.url()).body, from: body) == nil)
    #expect(recorder.state.body.isEmpty)
    transfer.resume()
    #expect(try await difference(recorder.completion().body, from: body) == nil)
  }

  /// To resume makes libcurl 7.88 read once, even if receiving is paused again by then. It keeps what it reads, and passes a head on as one
  /// piece.
  @Test func aHeadThatIsReadWhilePausedIsDelivered() async throws {
    let body = pattern(1000)
    let (isAsked, isAnswered) = (Signal<Bool>(), Signal<Bool>())
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      isAsked.send(true)
      guard mayAnswer.wait(timeout: .now() + 60) == .success else { return }
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nX-Field: a\r\n\r\n"
      isAnswered.send(connection.send(Array(head.utf8) + body))
      _ = connection.readHead()
    }
    let other = try bodyServer([])
    let engine = makeEngine()
    let recorder = Recorder()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    try #require(await isAsked.wait() == true)
    transfer.pause()
    // A transfer to the end: the loop has done what it was asked for before.
    _ = try await engine.get(other.url())
    mayAnswer.signal()
    try #require(await isAnswered.wait() == true)
    EventLoop.shared.execute {
      transfer.resume()
      transfer.pause()
    }
    _ = try await engine.get(other.url())
    #expect(recorder.state.body.isEmpty)
    transfer.resume()
    let state = try await recorder.completion()
    #expect(state.failure == nil && state.body == body)
    #expect(state.head?.statusCode == 200 && state.head?.contentLength == 1000)
    #expect(state.head?.fields.map(\.name) == ["Content-Length", "X-Field"])
    #expect(state.events.filter { ["head", "body"].contains($0) } == ["head", "body"])
  }

  @Test func resumeWithoutPauseDoesNothing() async throws {
    let server = try bodyServer(pattern(1000))
    let recorder = Recorder()
    let engine = makeEngine()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    transfer.resume()
    transfer.resumeSending()
    let state = try await recorder.completion()
    transfer.resume()
    transfer.pause()
    #expect(state.body == pattern(1000))
    #expect(try await engine.get(server.url()).failure == nil)
  }

  @Test func uploadAndDownloadPausedTogether() async throws {
    let body = pattern(500_000)
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      connection.send(Array(body.prefix(1000)))
      let sent = connection.readChunked()
      connection.send(Array(body.dropFirst(1000)))
      if !sent.isComplete || sent.bytes != body { connection.reset() }
    }
    let waiting = Signal<Int>()
    let source = TestBodySource(body, available: 10, waitSignal: waiting)
    let counter = Locked(0)
    let recorder = Recorder(flow: { _, _, _ in
      counter.withLock { count in
        count += 1
        return count % 2 == 1 ? .pause : .accepted
      }
    })
    let engine = makeEngine()
    let transfer = engine.start(
      TransferRequest(url: server.url(), method: "PUT", body: .source(source, length: nil)), handler: recorder)
    _ = await waiting.wait()
    source.allow(body.count + 1)
    transfer.resumeSending()
    for _ in 0..<10_000 {
      let pauses = recorder.state.pauses
      transfer.resume()
      let state = try await recorder.wait { $0.pauses > pauses || $0.result != nil }
      if state.result != nil { break }
    }
    let state = try await recorder.completion()
    #expect(state.failure == nil)
    #expect(difference(state.body, from: body) == nil)
  }
}
