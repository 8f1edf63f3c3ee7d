import Foundation
import Testing
import URLLoadingCurlTransport

/// Bodies whose pieces are put together.
@Suite struct CoalescingTests {
  private static let limit = 100_000

  private func request(_ url: String) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.expectsLargeBody = true
    request.coalescingLimit = Self.limit
    return request
  }

  private func server(_ head: String, _ body: [UInt8]) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 200 OK\r\n\(head)\r\n")
        connection.send(body)
        if head.isEmpty { return }
      }
    }
  }

  /// A comparison whose failure does not describe megabytes.
  private func same(_ first: [UInt8], _ second: [UInt8]) -> Bool { first == second }

  @Test(arguments: [true, false])
  func aLargeBodyComesInFewPieces(hasLength: Bool) async throws {
    let body = pattern(2_000_000, seed: 3)
    let server = try server(hasLength ? "Content-Length: \(body.count)\r\n" : "", body)
    let engine = makeEngine()
    // The second has the handle of the first.
    for _ in 0..<2 {
      let state = try await engine.run(request(server.url()))
      #expect(state.failure == nil)
      #expect(same(state.body, body))
      #expect(!state.coalesced.isEmpty)
      #expect(state.coalesced.allSatisfy { $0 > 16_384 && $0 <= Self.limit })
      #expect(state.events.last == "complete")
    }
  }

  /// Lengths around that of one of libcurl's pieces, and of what is put together.
  @Test(arguments: [1, 16_383, 16_384, 16_385, 32_768, 65_536, 98_304, 100_000, 100_001, 114_688])
  func everyLengthIsWhole(count: Int) async throws {
    let body = pattern(count)
    let server = try server("Content-Length: \(count)\r\n", body)
    let state = try await makeEngine().run(request(server.url()))
    #expect(state.failure == nil)
    #expect(same(state.body, body))
  }

  /// What came before the connection broke is handed on before the failure.
  @Test func aBodyThatIsCutOffIsHandedOnAsFarAsItCame() async throws {
    let body = pattern(300_000)
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n")
      connection.send(body)
    }
    let state = try await makeEngine().run(request(server.url()))
    #expect(state.failure != nil)
    #expect(same(state.body, body))
    #expect(!state.coalesced.isEmpty)
    #expect(state.events.last == "complete")
  }

  /// A handler that wants no bytes gets none that it cannot refuse.
  @Test func nothingIsCoalescedForWhoMayRefuse() async throws {
    let body = pattern(1_000_000)
    let server = try server("Content-Length: \(body.count)\r\n", body)
    let recorder = Recorder(
      takesCoalesced: { $0.pauses > 0 },
      flow: { transfer, _, state in
        guard state.pauses == 0 else { return .accepted }
        DispatchQueue.global().async { transfer.resume() }
        return .pause
      })
    let state = try await makeEngine().run(request(server.url()), recorder: recorder)
    #expect(state.pauses == 1)
    #expect(same(state.body, body))
    #expect(!state.coalesced.isEmpty)
  }

  @Test func nothingComesWhilePaused() async throws {
    let body = pattern(2_000_000)
    let server = try server("Content-Length: \(body.count)\r\n", body)
    let recorder = Recorder(onHead: { $0.pause() })
    let engine = makeEngine()
    let transfer = engine.start(request(server.url()), handler: recorder)
    _ = try await recorder.wait { $0.head != nil }
    #expect(same(try await engine.get(server.url()).body, body))
    #expect(recorder.state.body.isEmpty)
    transfer.resume()
    let state = try await recorder.completion()
    #expect(same(state.body, body))
  }

  @Test func aTransferIsCancelledBetweenPieces() async throws {
    let body = pattern(8_000_000)
    let server = try server("Content-Length: \(body.count)\r\n", body)
    let engine = makeEngine()
    let recorder = Recorder(keepsBody: false)
    let transfer = engine.start(request(server.url()), handler: recorder)
    _ = try await recorder.wait { !$0.coalesced.isEmpty }
    transfer.cancel()
    // The engine goes on, with a handle that has forgotten everything.
    let state = try await engine.run(request(server.url()))
    #expect(same(state.body, body))
  }

  /// Transfers take turns: none gets what was put together for another.
  @Test func largeBodiesOfManyAtOnceStayApart() async throws {
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        let seed = head.split(separator: "/").dropFirst().first.flatMap { UInt64($0.prefix { $0.isNumber }) } ?? 0
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 700000\r\n\r\n")
        connection.send(pattern(700_000, seed: seed))
      }
    }
    let engine = makeEngine(connectionsPerHost: 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 1...40 {
        let request = request(server.url("/\(seed)"))
        group.addTask {
          let state = try await engine.run(request)
          #expect(same(state.body, pattern(700_000, seed: UInt64(seed))), "seed \(seed)")
        }
      }
      try await group.waitForAll()
    }
  }
}
