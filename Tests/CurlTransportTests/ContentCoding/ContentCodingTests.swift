import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Coded bodies, from the server to the handler.
@Suite struct ContentCodingTests {
  private static let mixture = DecoderTests.mixture

  private func server(_ body: [UInt8], _ coding: String, chunkSize: Int? = nil) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
        guard let chunkSize else {
          connection.send("\(head)Content-Length: \(body.count)\r\n\r\n")
          connection.send(body)
          continue
        }
        connection.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: chunkSize) {
          let chunk = body[start..<min(body.count, start + chunkSize)]
          connection.send("\(String(chunk.count, radix: 16))\r\n")
          connection.send(chunk + [13, 10])
        }
        connection.send("0\r\nX-End: yes\r\n\r\n")
      }
    }
  }

  private func request(_ url: String, method: String = "GET") -> TransferRequest {
    TransferRequest(url: url, method: method, decodesContent: true)
  }

  @Test(arguments: Encoding.allCases, [nil, 1, 5000, 50_000])
  func aWholeBodyIsDecoded(_ encoding: Encoding, _ chunkSize: Int?) async throws {
    let bytes = chunkSize == 1 ? DecoderTests.short : Self.mixture
    let coded = encoding.encode(bytes)
    let server = try server(coded, encoding.name, chunkSize: chunkSize)
    let engine = makeEngine()
    for _ in 0..<2 {
      let state = try await engine.run(request(server.url()))
      #expect(state.failure == nil)
      #expect(difference(state.body, from: bytes) == nil)
      #expect(state.metrics?.responseBodyBytes == Int64(coded.count))
      #expect(state.metrics?.decodedBodyBytes == Int64(bytes.count))
      if chunkSize != nil { #expect(state.trailers.map(\.name) == ["X-End"]) }
    }
    #expect(server.connectionCount == 1)
  }

  /// The length is as announced: only the coding tells.
  @Test(arguments: Encoding.allCases) func aBodyThatIsCutOffFails(_ encoding: Encoding) async throws {
    let coded = encoding.encode(DecoderTests.short)
    let engine = makeEngine()
    for count in 1..<coded.count {
      let server = try server(Array(coded.prefix(count)), encoding.name)
      let state = try await engine.run(request(server.url()))
      let failure = try #require(state.failure, "\(count) of \(coded.count)")
      #expect(failure.urlErrorCode.rawValue == -1015)
      #expect(failure.message.contains(encoding.name))
      #expect(failure.metrics.responseBodyBytes == Int64(count))
      #expect(state.events.last == "complete")
      server.stop()
    }
  }

  /// Pauses in the middle of what one piece of the body becomes, and resumes from another thread or at once.
  @Test(arguments: Encoding.allCases, [nil, 20_000])
  func bytesSurviveEveryPause(_ encoding: Encoding, _ chunkSize: Int?) async throws {
    let bytes = Self.mixture + [UInt8](repeating: 1, count: 1_000_000) + pattern(500_000, seed: 9)
    let server = try server(encoding.encode(bytes), encoding.name, chunkSize: chunkSize)
    let counter = Locked(0)
    let recorder = Recorder(flow: { transfer, _, _ in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      switch count % 4 {
      case 0:
        transfer.resume()
        return .pause
      case 1:
        DispatchQueue.global().async { transfer.resume() }
        return .pause
      case 2:
        // Taken, and no more for now.
        transfer.pause()
        DispatchQueue.global().async { transfer.resume() }
        return .accepted
      default: return .accepted
      }
    })
    let state = try await makeEngine().run(request(server.url()), recorder: recorder)
    #expect(state.failure == nil)
    #expect(difference(state.body, from: bytes) == nil)
    #expect(state.pauses > 10)
  }

  @Test func answersWithoutABody() async throws {
    let engine = makeEngine()
    let empty = try server([], "gzip")
    for method in ["GET", "HEAD"] {
      let state = try await engine.run(request(empty.url(), method: method))
      #expect(state.failure == nil && state.body.isEmpty)
    }
    let length = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 99\r\n\r\n")
    #expect(try await engine.run(request(length.url(), method: "HEAD")).failure == nil)
    for status in [204, 304] {
      let server = try ScriptServer.answering("HTTP/1.1 \(status) X\r\nContent-Encoding: gzip\r\n\r\n")
      #expect(try await engine.run(request(server.url())).failure == nil)
    }
  }

  /// As the Fetch standard has it. If one of several is unknown, none is undone.
  @Test(arguments: [
    "x-unknown", "UTF-8", "aws-chunked", "binary", "none-of-these", "gzip, aws-chunked", "aws-chunked, gzip",
    "gzip, compress",
    "gzip, gzip, gzip, gzip, gzip, gzip, x",
  ])
  func aBodyWithAnUnknownCodingIsDeliveredAsItCame(_ coding: String) async throws {
    let engine = makeEngine()
    for body in [[], [1, 2, 3], Encoding.gzip.encode(DecoderTests.short), Self.mixture] {
      let state = try await engine.run(request(try server(body, coding).url()))
      #expect(state.failure == nil)
      #expect(difference(state.body, from: body) == nil)
      #expect(state.head?.fields.first { $0.name == "Content-Encoding" }?.value == coding)
    }
  }

  @Test func aBodyWithAnUnknownCodingThatIsCutOffFails() async throws {
    let server = try ScriptServer.answeringOnce(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: aws-chunked\r\nContent-Length: 9\r\n\r\nabc".utf8))
    let state = try await makeEngine().run(request(server.url()))
    #expect(state.failure != nil)
  }

  @Test func moreThanFiveCodingsFail() async throws {
    let state = try await makeEngine().run(request(try server([1, 2, 3], "gzip, gzip, gzip, gzip, gzip, gzip").url()))
    #expect(state.failure != nil && state.body.isEmpty)
  }

  @Test func whatIsNotAskedForIsNotDecoded() async throws {
    let engine = makeEngine()
    let gzip = Encoding.gzip.encode(DecoderTests.short)
    let url = try server(gzip, "gzip").url()
    // On the same handle in turn: what one request wants is nothing to the next.
    for _ in 0..<3 {
      #expect(try await engine.get(url).body == gzip)
      #expect(try await engine.run(request(url)).body == DecoderTests.short)
    }
    let plain = try await engine.run(request(try server(DecoderTests.short, "identity, none").url()))
    #expect(plain.body == DecoderTests.short)
  }

  @Test func codingsOfSeveralFields() async throws {
    let body = Encoding.brotli.encode(Encoding.gzip.encode(Self.mixture))
    let server = try ScriptServer.answeringOnce(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: x-gzip\r\nA: b\r\ncontent-encoding: br\r\n\r\n".utf8) + body)
    let state = try await makeEngine().run(request(server.url()))
    #expect(state.body == Self.mixture && state.failure == nil)
  }

  @Test func cancellingInTheMiddleOfAPiece() async throws {
    let server = try server(Encoding.gzip.encode([UInt8](repeating: 0, count: 1 << 20), repetitions: 16), "gzip")
    let engine = makeEngine()
    for discarded in [0, 1 << 20] {
      let recorder = Recorder(
        keepsBody: false,
        flow: { transfer, _, state in
          if state.pauses == 0 { return .pause }
          transfer.cancel(discardingUpTo: discarded)
          return .accepted
        })
      let transfer = engine.start(request(server.url()), handler: recorder)
      _ = try await recorder.wait { $0.pauses == 1 }
      transfer.resume()
      _ = try await recorder.wait { $0.events.contains("body") }
      let state = try await engine.run(request(server.url()))
      #expect(state.body.count == 16 << 20 && state.failure == nil)
      #expect(recorder.state.events.filter { $0 == "body" || $0 == "complete" } == ["body"])
    }
  }

  @Test func overHTTP2() async throws {
    let nginx = try await NginxServer.shared
    let caddy = try await CaddyServer.shared
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    let engine = TransferEngine(configuration: configuration)
    for (url, coding) in [
      (nginx.url("/gzip/large.bin", on: .https), "gzip"), (caddy.url("/small.txt"), "zstd"),
    ] {
      let plain = try await engine.run(TransferRequest(url: url.absoluteString))
      let counter = Locked(0)
      let recorder = Recorder(flow: { transfer, _, _ in
        let count = counter.withLock { count in
          count += 1
          return count
        }
        guard count % 3 == 0 else { return .accepted }
        DispatchQueue.global().async { transfer.resume() }
        return .pause
      })
      var request = request(url.absoluteString)
      if coding == "zstd" { request.headers = [("Accept-Encoding", "zstd")] }
      let state = try await engine.run(request, recorder: recorder)
      #expect(state.head?.firstValue(of: "content-encoding") == coding)
      #expect(state.failure == nil && state.body == plain.body)
      #expect(state.metrics?.networkProtocol == "h2")
    }
  }
}
