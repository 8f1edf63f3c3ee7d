import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Request bodies.
@Suite struct UploadTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  private struct Seen: Sendable {
    var head: String
    var body: [UInt8]
  }

  /// A server that reads one request with its body and answers 200.
  private func server(_ seen: Signal<Seen>) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        let lower = head.lowercased()
        if lower.contains("transfer-encoding: chunked") {
          let body = connection.readChunked()
          seen.send(Seen(head: head, body: body.isComplete ? body.bytes : []))
        } else {
          let field = lower.components(separatedBy: "\r\n").first { $0.hasPrefix("content-length: ") }
          let count = field.flatMap { Int($0.dropFirst(16)) } ?? 0
          seen.send(Seen(head: head, body: connection.read(count)))
        }
        connection.send(Self.ok)
      }
    }
  }

  @Test(arguments: [0, 1, 1000, 65_536, 3_000_000])
  func data(count: Int) async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    let bytes = pattern(count)
    var request = TransferRequest(url: server.url(), method: "POST", headers: [("Content-Type", "x/y")])
    request.body = .data(Data([9, 9] + bytes).dropFirst(2))
    let state = try await makeEngine().run(request)
    #expect(state.failure == nil)
    let got = try #require(await seen.wait())
    #expect(difference(got.body, from: bytes) == nil)
    #expect(got.head.contains("Content-Length: \(count)\r\n"))
    #expect(!got.head.contains("Expect"))
    #expect(!got.head.contains("chunked"))
    #expect(got.head.hasPrefix("POST / "))
    #expect(state.sent.last ?? 0 == Int64(count))
    #expect(state.sent == state.sent.sorted())
    #expect(state.metrics?.requestBodyBytes == Int64(count))
  }

  @Test(arguments: [true, false], [0, 5, 200_000, 2_500_000])
  func source(hasLength: Bool, count: Int) async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    let bytes = pattern(count)
    var request = TransferRequest(url: server.url(), method: "PUT")
    request.body = .source(TestBodySource(bytes), length: hasLength ? Int64(count) : nil)
    let state = try await makeEngine().run(request)
    #expect(state.failure == nil)
    let got = try #require(await seen.wait())
    #expect(difference(got.body, from: bytes) == nil)
    #expect(got.head.contains("Transfer-Encoding: chunked") == !hasLength)
    #expect(got.head.contains("Content-Length: \(count)") == hasLength)
    #expect(state.sent.last ?? 0 == Int64(count))
  }

  @Test func getMayHaveABodyAndHeadHasNone() async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    var request = TransferRequest(url: server.url(), body: .data(Data("abc".utf8)))
    #expect(try await makeEngine().run(request).failure == nil)
    let got = try #require(await seen.wait())
    #expect(got.head.hasPrefix("GET / "))
    #expect(got.body == Array("abc".utf8))
    request.method = "HEAD"
    #expect(try await makeEngine().run(request).failure == nil)
    #expect(try #require(await seen.wait()).body.isEmpty)
  }

  @Test func expectIsSentWhenTheCallerWantsIt() async throws {
    let seen = Signal<String>()
    let server = try ScriptServer { connection, _ in
      guard let head = connection.readHead() else { return }
      connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      seen.send(head + String(decoding: connection.read(3), as: UTF8.self))
      connection.send(Self.ok)
    }
    let request = TransferRequest(
      url: server.url(), method: "PUT", headers: [("Expect", "100-continue")], body: .data(Data("abc".utf8)))
    let state = try await makeEngine().run(request)
    #expect(state.informational == [100])
    let got = try #require(await seen.wait())
    #expect(got.contains("Expect: 100-continue"))
    #expect(got.hasSuffix("abc"))
  }

  @Test func aSourceThatWaitsIsResumed() async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    let bytes = pattern(300_000)
    let waiting = Signal<Int>()
    let source = TestBodySource(bytes, available: 0, waitSignal: waiting)
    var request = TransferRequest(url: server.url(), method: "PUT")
    request.body = .source(source, length: nil)
    let recorder = Recorder()
    let engine = makeEngine()
    let transfer = engine.start(request, handler: recorder)
    for count in [1, 100_000, 299_999, 300_001] {
      #expect(await waiting.wait() != nil)
      source.allow(count)
      transfer.resumeSending()
    }
    let state = try await recorder.completion()
    #expect(state.failure == nil)
    #expect(await difference(seen.wait()?.body ?? [], from: bytes) == nil)
  }

  @Test func aSourceThatFails() async throws {
    let server = try server(Signal())
    let source = TestBodySource(pattern(10))
    source.fail()
    var request = TransferRequest(url: server.url(), method: "PUT")
    request.body = .source(source, length: 10)
    let failure = try #require(try await makeEngine().run(request).failure)
    #expect(failure.reason == .bodyFailed)
    #expect(failure.bodyError is TestBodySource.Failure)
  }

  @Test func aSourceThatEndsEarly() async throws {
    let server = try server(Signal())
    var request = TransferRequest(url: server.url(), method: "PUT")
    request.body = .source(TestBodySource(pattern(10)), length: 11)
    let failure = try #require(try await makeEngine().run(request).failure)
    #expect(failure.reason == .bodyTooShort)
  }

  @Test func aSourceThatHasMoreThanAnnouncedIsCut() async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    var request = TransferRequest(url: server.url(), method: "PUT")
    request.body = .source(TestBodySource(pattern(100)), length: 60)
    let engine = makeEngine()
    #expect(try await engine.run(request).failure == nil)
    #expect(await seen.wait()?.body == Array(pattern(100).prefix(60)))
    #expect(try await engine.get(server.url()).failure == nil)
  }

  /// The connection of an earlier request is closed when the next one comes: libcurl takes a new one.
  @Test(arguments: [true, false])
  func aBodyIsSentAgainOnAFreshConnection(canRewind: Bool) async throws {
    let bytes = pattern(5000)
    let seen = Signal<[UInt8]>()
    let server = try ScriptServer { connection, number in
      guard connection.readHead() != nil else { return }
      if number == 0 {
        connection.send(Self.ok)
        // The next request on this connection is read in part, and not answered.
        guard connection.readHead() != nil else { return }
        _ = connection.read(1000)
        return connection.reset()
      }
      seen.send(connection.read(bytes.count))
      connection.send(Self.ok)
    }
    let engine = makeEngine()
    #expect(try await engine.get(server.url()).failure == nil)
    var request = TransferRequest(url: server.url(), method: "PUT")
    let source = TestBodySource(bytes, canRewind: canRewind)
    request.body = .source(source, length: Int64(bytes.count))
    let state = try await engine.run(request)
    if canRewind {
      #expect(state.failure == nil)
      #expect(await seen.wait() == bytes)
      #expect(source.rewindCount == 1)
    } else {
      #expect(state.failure?.reason == .bodyNotRewindable, "\(state)")
      #expect(state.failure?.urlErrorCode.rawValue == -1021)
    }
  }

  /// An answer that comes before the body was read counts, whether the server goes on reading or closes.
  @Test(arguments: [200, 413], [true, false])
  func aServerThatAnswersEarly(status: Int, closes: Bool) async throws {
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 4\r\n\r\nearl")
      if !closes { connection.waitForClose() }
    }
    let waiting = Signal<Int>()
    let source = TestBodySource(pattern(8_000_000), available: closes ? 1000 : 9_000_000, waitSignal: waiting)
    var request = TransferRequest(url: server.url(), method: "POST")
    request.body = .source(source, length: 8_000_000)
    let recorder = Recorder()
    let engine = makeEngine()
    let transfer = engine.start(request, handler: recorder)
    _ = try await recorder.wait { $0.body.count == 4 || $0.result != nil }
    source.allow(9_000_000)
    transfer.resumeSending()
    if !closes, status == 200 {
      // The body goes on; the server never ends the connection by itself.
      _ = try await recorder.wait { $0.sent.last == 8_000_000 || $0.result != nil }
    }
    let state = try await recorder.completion()
    #expect(state.failure == nil, "\(state.events) \(String(describing: state.failure))")
    #expect(state.head?.statusCode == status)
    #expect(state.body == Array("earl".utf8))
  }
}
