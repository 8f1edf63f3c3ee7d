import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Short bodies, which go with the head of the request.
@Suite struct InlineBodyTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
  private static let limit = 16 << 10

  private struct Seen: Sendable {
    var head: String
    var body: [UInt8]
    /// Bytes of the body that were there with the head.
    var countWithHead: Int
  }

  private func server(_ seen: Signal<Seen>) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        let countWithHead = connection.bufferedCount
        let field = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        let body =
          if head.contains("Transfer-Encoding: chunked") {
            connection.readChunked().bytes
          } else {
            connection.read(field.flatMap { Int($0.dropFirst(16)) } ?? 0)
          }
        seen.send(Seen(head: head, body: body, countWithHead: countWithHead))
        connection.send(Self.ok)
      }
    }
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"], [1, 1024, limit])
  func theBodyComesInOnePieceWithTheHead(method: String, count: Int) async throws {
    let seen = Signal<Seen>()
    let bytes = pattern(count)
    let request = TransferRequest(url: try server(seen).url(), method: method, body: .data(Data(bytes)))
    let state = try await makeEngine().run(request)
    #expect(state.failure == nil)
    let got = try #require(await seen.wait())
    #expect(got.head.hasPrefix("\(method) / HTTP/1.1\r\n"))
    #expect(difference(got.body, from: bytes) == nil)
    #expect(got.countWithHead == count)
    #expect(state.sent.last == Int64(count))
    #expect(state.metrics?.requestBodyBytes == Int64(count))
    #expect(state.metrics?.requestHeaderBytes == Int64(got.head.utf8.count))
  }

  @Test func aLongerBodyIsWhole() async throws {
    let seen = Signal<Seen>()
    let bytes = pattern(Self.limit + 1)
    let request = TransferRequest(url: try server(seen).url(), method: "POST", body: .data(Data(bytes)))
    #expect(try await makeEngine().run(request).failure == nil)
    #expect(difference(try #require(await seen.wait()).body, from: bytes) == nil)
  }

  @Test(arguments: [NginxServer.Listener.http, .https, .httpsHTTP1])
  func theHeadIsCountedWithoutTheBody(on listener: NginxServer.Listener) async throws {
    let server = try await NginxServer.shared
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    let engine = TransferEngine(configuration: configuration)
    var counts: Set<Int64> = []
    for count in [1000, 9000, 1001] {
      // An answer that does not wait for the body may end the request before it is sent (RFC 9113, section 8.1): this one waits.
      let url = server.url("/upload/\(UUID().uuidString)", on: listener).absoluteString
      let state = try await engine.run(TransferRequest(url: url, method: "PUT", body: .data(Data(pattern(count)))))
      #expect(state.head?.statusCode == 201)
      let metrics = try #require(state.metrics)
      #expect(metrics.requestBodyBytes == Int64(count))
      counts.insert(metrics.requestHeaderBytes)
    }
    #expect(counts.count == 1)
    #expect((50..<500).contains(counts.first ?? 0))
  }

  /// libcurl would say that it is a form.
  @Test func aBodyHasTheTypeThatTheRequestGivesIt() async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    let engine = makeEngine()
    for type in [nil, "application/json", nil, "text/plain"] {
      let request = TransferRequest(
        url: server.url(), method: "POST", headers: type.map { [("content-type", $0)] } ?? [], body: .data(Data([1])))
      #expect(try await engine.run(request).failure == nil)
      let head = try #require(await seen.wait()).head.lowercased()
      #expect(head.components(separatedBy: "content-type").count == (type == nil ? 1 : 2))
      if let type { #expect(head.contains("content-type: \(type)\r\n")) }
    }
  }

  /// One connection and one handle for all.
  @Test func nothingIsLeftForTheNextRequest() async throws {
    let seen = Signal<Seen>()
    let server = try server(seen)
    let engine = makeEngine(connectionsPerHost: 1)
    let long = pattern(100_000)
    let bodies: [(String, TransferRequest.Body, [UInt8])] = [
      ("POST", .data(Data("first".utf8)), Array("first".utf8)),
      ("GET", .none, []),
      ("POST", .data(Data("2".utf8)), Array("2".utf8)),
      ("POST", .none, []),
      ("PUT", .source(TestBodySource(long), length: nil), long),
      ("PUT", .data(Data("third".utf8)), Array("third".utf8)),
      ("POST", .data(Data(long)), long),
      ("POST", .data(Data("fourth".utf8)), Array("fourth".utf8)),
      ("DELETE", .none, []),
    ]
    for (method, body, bytes) in bodies {
      let request = TransferRequest(url: server.url(), method: method, body: body)
      #expect(try await engine.run(request).failure == nil)
      let got = try #require(await seen.wait())
      #expect(got.head.hasPrefix("\(method) / "))
      #expect(difference(got.body, from: bytes) == nil)
      #expect(got.head.contains("Content-Length") == (method == "POST" || !bytes.isEmpty && bytes != long))
    }
    #expect(server.connectionCount == 1)
  }

  /// The connection of an earlier request ends when the next one comes.
  @Test func theBodyIsSentAgainOnAFreshConnection() async throws {
    let bytes = pattern(5000)
    let seen = Signal<[UInt8]>()
    let heads = Signal<String>()
    let server = try ScriptServer { connection, number in
      guard let head = connection.readHead() else { return }
      if number == 0 {
        connection.send(Self.ok)
        guard connection.readHead() != nil else { return }
        return connection.reset()
      }
      heads.send(head)
      seen.send(connection.read(bytes.count))
      connection.send(Self.ok)
    }
    let engine = makeEngine()
    #expect(try await engine.get(server.url()).failure == nil)
    let state = try await engine.run(TransferRequest(url: server.url(), method: "PUT", body: .data(Data(bytes))))
    #expect(state.failure == nil)
    #expect(await seen.wait() == bytes)
    #expect(state.sent.last == Int64(bytes.count))
    // Both attempts sent the head.
    #expect(await state.metrics?.requestHeaderBytes == heads.wait().map { Int64(2 * $0.utf8.count) })
  }
}
