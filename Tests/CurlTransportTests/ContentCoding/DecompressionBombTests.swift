import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Little that becomes much.
@Suite struct DecompressionBombTests {
  private static let zeros = [UInt8](repeating: 0, count: 16 << 20)

  private func server(_ body: [UInt8], _ coding: String) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
      }
    }
  }

  /// 1 GiB, of which each piece is refused once; memory stays far below it.
  @Test(arguments: [Encoding.gzip, .brotli, .zstd]) func memoryStaysTheSame(_ encoding: Encoding) async throws {
    let expected = 1 << 30
    let member = encoding.encode(Self.zeros, repetitions: encoding == .brotli ? 64 : 1)
    let body = encoding == .brotli ? member : Array(repeatElement(member, count: 64).joined())
    #expect(body.count < 2 << 20)
    let server = try server(body, encoding.name)
    // What the sanitizers keep of memory that is freed is in it, and what other tests need at the same time: these come and go.
    let limit = Sanitizing.isOn ? 800 << 20 : 300 << 20
    var grown = Int.max
    for _ in 0..<3 where grown >= limit {
      let before = ProcessMemory.residentBytes
      let seen = try await decode(server)
      #expect(seen.count == expected)
      #expect(seen.largestPiece <= 64 << 10)
      grown = seen.memory - before
    }
    #expect(grown < limit, "\(grown >> 20) MiB")
  }

  private struct Seen {
    var count = 0
    var largestPiece = 0
    /// The most that the process had, looked at every 64 MiB.
    var memory = 0
    var isRefused = false
  }

  /// Loads all that the server sends, and refuses each piece once.
  private func decode(_ server: ScriptServer) async throws -> Seen {
    let seen = Locked(Seen())
    let recorder = Recorder(
      keepsBody: false,
      flow: { transfer, bytes, _ in
        seen.withLock { seen in
          seen.isRefused.toggle()
          guard !seen.isRefused else {
            transfer.resume()
            return .pause
          }
          if seen.count >> 26 != (seen.count + bytes.count) >> 26 {
            seen.memory = max(seen.memory, ProcessMemory.residentBytes)
          }
          seen.count += bytes.count
          seen.largestPiece = max(seen.largestPiece, bytes.count)
          return .accepted
        }
      })
    let state = try await makeEngine().run(
      TransferRequest(url: server.url(), decodesContent: true), recorder: recorder)
    #expect(state.failure == nil)
    return seen.withLock { $0 }
  }

  /// A tebibyte, all of it in the first bytes that come: it would keep the loop for a minute and more.
  @Test func othersGetTheirTurn() async throws {
    let frame = Encoding.zstd.encode(Self.zeros)
    try await checkThatOthersGetTheirTurn(Encoding.gzip.encode(frame, repetitions: 1 << 16), "zstd, gzip") {
      $0.events.contains("body")
    }
  }

  /// The same, and nothing comes out: what is decoded are frames to skip, of nearly 4 GiB each.
  @Test func othersGetTheirTurnWhenNothingComesOut() async throws {
    let head = Encoding.zstd.encode([0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0xFF])
    let frame = Encoding.zstd.encode(Self.zeros)
    let skipped = head + repeatElement(frame, count: 0xFF00_0000 / Self.zeros.count).joined()
    try await checkThatOthersGetTheirTurn(Encoding.gzip.encode(skipped, repetitions: 256), "zstd, zstd, gzip") {
      $0.head != nil
    }
  }

  private func checkThatOthersGetTheirTurn(
    _ body: [UInt8], _ coding: String, once condition: @escaping @Sendable (Recorder.State) -> Bool
  ) async throws {
    let bomb = try server(body, coding)
    let other = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let engine = makeEngine()
    let recorder = Recorder(keepsBody: false)
    let transfer = engine.start(TransferRequest(url: bomb.url(), decodesContent: true), handler: recorder)
    _ = try await recorder.wait(until: condition)
    for _ in 0..<3 { #expect(try await engine.get(other.url()).body == Array("ok".utf8)) }
    #expect(recorder.state.result == nil)
    transfer.cancel()
    #expect(try await engine.get(other.url()).failure == nil)
    #expect(recorder.state.result == nil)
  }
}
