import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Bytes of an upgraded connection, which are read without libcurl as long as that is possible.
@Suite struct DirectReceivingTests {
  private static let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n"

  /// Sends `body` in pieces after the answer, the first of them in the same segment.
  /// - Parameter pace: called before each piece but the first.
  private func server(
    _ body: [UInt8], fields: String = "", pieces: [Int],
    end: @escaping @Sendable (ScriptConnection) -> Void = { _ in }, pace: @escaping @Sendable () -> Void = {}
  ) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      var start = 0
      for length in pieces.cycled(to: body.count) {
        let piece = Array(body[start..<(start + length)])
        if start > 0 { pace() }
        connection.send(start == 0 ? Array("\(Self.answer)\(fields)\r\n".utf8) + piece : piece)
        start += length
      }
      end(connection)
    }
  }

  private func request(_ server: ScriptServer, coalescingLimit: Int = 0) -> TransferRequest {
    var request = TransferRequest(url: server.url())
    request.headers = [("Connection", "Upgrade"), ("Upgrade", "test")]
    request.switchesProtocols = true
    request.decodesContent = false
    request.body = .source(TestBodySource([1], available: 0), length: nil)
    request.coalescingLimit = coalescingLimit
    return request
  }

  /// Pauses now and then, and resumes from another thread, sometimes before the pause has taken effect.
  /// - Parameter isPaced: a piece is sent when those before it were taken: libcurl reads without the loop while there is more to read.
  @Test(arguments: [true, false]) func bytesSurviveEveryPause(isPaced: Bool) async throws {
    let body = pattern(2_000_000, seed: 5)
    let pieces = [1, 700, 16_383, 16_384, 16_385, 3, 50_000].cycled(to: body.count)
    let ends = Set(pieces.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) })
    let isTaken = DispatchSemaphore(value: 0)
    let server = try server(body, pieces: pieces, pace: { if isPaced { _ = isTaken.wait(timeout: .now() + 60) } })
    let counter = Locked(0)
    let recorder = Recorder(flow: { transfer, bytes, state in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      guard count % 3 == 0 else {
        if ends.contains(state.body.count + bytes.count) { isTaken.signal() }
        return .accepted
      }
      if count % 2 == 0 {
        transfer.resume()
      } else {
        DispatchQueue.global().async { transfer.resume() }
      }
      return .pause
    })
    let state = try await makeEngine().run(request(server), recorder: recorder)
    #expect(state.failure == nil)
    #expect(difference(state.body, from: body) == nil)
    #expect(state.pauses > 10)
    #expect(state.metrics?.responseBodyBytes == Int64(body.count))
  }

  @Test func longReadsAreCoalesced() async throws {
    let body = pattern(2_000_000, seed: 6)
    let state = try await makeEngine().run(request(server(body, pieces: [100_000]), coalescingLimit: 100_000))
    #expect(state.failure == nil && !state.coalesced.isEmpty)
    #expect(difference(state.body, from: body) == nil)
  }

  /// To pause makes libcurl read once if it has bytes to send, and it reports an end that it reads so no more once they are sent. Some versions
  /// then send nothing more.
  @Test func anEndThatIsReadWhilePausedIsSeen() async throws {
    let isHalf = DispatchSemaphore(value: 0)
    let isRefused = DispatchSemaphore(value: 0)
    let server = try server(pattern(50), pieces: [50]) { connection in
      _ = isHalf.wait(timeout: .now() + 60)
      connection.endSending(with: pattern(50))
      _ = isRefused.wait(timeout: .now() + 60)
      connection.waitForClose()
    }
    let recorder = Recorder(flow: { _, _, state in
      guard state.body.count == 50, state.pauses == 0 else { return .accepted }
      isRefused.signal()
      return .pause
    })
    // More than the sockets take.
    let length = 32_000_000
    let isSent = Signal<Int>()
    var request = request(server)
    request.body = .source(
      TestBodySource([UInt8](repeating: 1, count: length + 1), available: length, waitSignal: isSent), length: nil)
    let engine = makeEngine()
    let transfer = engine.start(request, handler: recorder)
    _ = try await recorder.wait { $0.body.count == 50 && !$0.sent.isEmpty }
    let other = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    // Many turns of the loop, in each of which libcurl writes as much as the socket takes.
    for _ in 0..<300 { _ = try await engine.get(other.url()) }
    isHalf.signal()
    if LibcurlFacts.stopsSendingAtAnEndWhilePaused {
      _ = try await recorder.wait { $0.pauses > 0 }
    } else {
      try #require(await isSent.wait() != nil)
    }
    #expect(try await engine.comesToRest())
    transfer.resume()
    let state = try await recorder.completion()
    #expect(state.failure == nil && state.body == pattern(50) + pattern(50))
  }

  @Test func aResetIsAFailure() async throws {
    let arrived = DispatchSemaphore(value: 0)
    let server = try server(pattern(100), pieces: [50]) { connection in
      _ = arrived.wait(timeout: .now() + 60)
      connection.reset()
    }
    let recorder = Recorder()
    let engine = makeEngine()
    _ = engine.start(request(server), handler: recorder)
    _ = try await recorder.wait { $0.body.count == 100 }
    arrived.signal()
    let state = try await recorder.completion()
    #expect(state.failure?.curlCode == 56 && state.body == pattern(100))
  }

  /// A 101 has no content (RFC 9110, section 15.2.2), whatever its fields say.
  @Test(arguments: ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n"])
  func fieldsThatFrameABodyAreIgnored(fields: String) async throws {
    let body = pattern(100)
    let state = try await makeEngine().run(request(server(body, fields: fields, pieces: [2])))
    #expect(state.failure == nil && state.body == body)
  }

  /// Half of the bytes come when the handler has got the others, and are refused once.
  @Test(arguments: [true, false]) func refusedBytesAreDeliveredBeforeTheEnd(isCancelled: Bool) async throws {
    let body = pattern(100)
    let isHalf = DispatchSemaphore(value: 0)
    let isClosed = Signal<Bool>()
    let server = try server(Array(body[..<50]), pieces: [50]) { connection in
      _ = isHalf.wait(timeout: .now() + 60)
      connection.send(Array(body[50...]))
      if isCancelled { isClosed.send(connection.readHead() == nil) }
    }
    let isRefused = Signal<Bool>()
    let recorder = Recorder(flow: { _, _, state in
      guard state.body.count == 50, state.pauses == 0 else { return .accepted }
      isRefused.send(true)
      return .pause
    })
    let engine = makeEngine()
    let transfer = engine.start(request(server), handler: recorder)
    _ = try await recorder.wait { $0.body.count == 50 }
    isHalf.signal()
    try #require(await isRefused.wait() == true)
    if isCancelled {
      transfer.cancel()
      #expect(await isClosed.wait() == true)
      #expect(recorder.state.result == nil && recorder.state.body.count == 50)
    } else {
      transfer.resume()
      let state = try await recorder.completion()
      #expect(state.failure == nil && state.body == body)
      #expect(state.events.last == "complete")
    }
  }
}

extension [Int] {
  /// The numbers again and again, until their sum is the total; the last may be smaller.
  fileprivate func cycled(to total: Int) -> [Int] {
    var result: [Int] = []
    var rest = total
    while rest > 0 {
      result.append(Swift.min(self[result.count % count], rest))
      rest -= result[result.count - 1]
    }
    return result
  }
}
