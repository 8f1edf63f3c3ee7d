import Foundation
import Testing
import URLLoadingCurlTransport

/// What is made of well-formed responses.
@Suite struct ResponseTests {
  @Test func aPlainResponse() async throws {
    let server = try ScriptServer.answering(
      "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nSet-Cookie: a=1\r\nX-Foo:bar\r\nset-cookie: b=2\r\n\r\nhello")
    let state = try await makeEngine().get(server.url("/x"))
    let head = try #require(state.head)
    #expect(state.events == ["queue", "head", "body", "complete"])
    #expect(head.statusCode == 200)
    #expect(head.httpVersion == "HTTP/1.1")
    #expect(head.contentLength == 5)
    #expect(head.fields.map(\.name) == ["Content-Length", "Set-Cookie", "X-Foo", "set-cookie"])
    #expect(head.fields.map(\.value) == ["5", "a=1", "bar", "b=2"])
    #expect(head.firstValue(of: "x-foo") == "bar")
    #expect(state.body == Array("hello".utf8))
    let metrics = try #require(state.metrics)
    #expect(metrics.responseBodyBytes == 5)
    #expect(metrics.decodedBodyBytes == 5)
    #expect(metrics.networkProtocol == "http/1.1")
    #expect(metrics.remoteAddress == "127.0.0.1")
    #expect(metrics.remotePort == server.port)
    #expect(metrics.localPort ?? 0 > 0)
    #expect(metrics.responseHeaderBytes > 50)
    #expect(metrics.requestHeaderBytes > 10)
    #expect(metrics.total > 0)
    #expect(metrics.connect ?? 0 > 0)
    #expect(metrics.queueTime != nil)
    #expect(!metrics.isReusedConnection)
    #expect(abs(metrics.start.timeIntervalSinceNow) < 60)
  }

  @Test func connectionsAreReused() async throws {
    let server = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let engine = makeEngine()
    for round in 0..<20 {
      let state = try await engine.get(server.url())
      #expect(state.body == Array("ok".utf8))
      #expect(state.metrics?.isReusedConnection == (round > 0))
    }
    #expect(server.connectionCount == 1)
  }

  @Test func headHasNoBodyButALength() async throws {
    let server = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")
    let engine = makeEngine()
    for _ in 0..<2 {
      let state = try await engine.run(TransferRequest(url: server.url(), method: "HEAD"))
      #expect(state.events == ["queue", "head", "complete"])
      #expect(state.head?.contentLength == 12345)
      #expect(state.failure == nil)
    }
    #expect(server.connectionCount == 1)
  }

  @Test func theServerMayCloseInPlaceOfALength() async throws {
    let server = try ScriptServer.answeringOnce(Array("HTTP/1.0 200 OK\r\n\r\nuntil the end".utf8))
    let state = try await makeEngine().get(server.url())
    #expect(state.body == Array("until the end".utf8))
    #expect(state.head?.contentLength == nil)
    #expect(state.head?.httpVersion == "HTTP/1.0")
    #expect(state.failure == nil)
  }

  @Test func chunksAndTrailers() async throws {
    let server = try ScriptServer.answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n"
        + "X-Sum: 42\r\nX-Other:  two \r\n\r\n")
    let engine = makeEngine()
    for _ in 0..<3 {
      let state = try await engine.get(server.url())
      #expect(state.events == ["queue", "head", "body", "trailers", "complete"])
      #expect(state.body == Array("hello!".utf8))
      #expect(state.head?.fields.count == 2)
      #expect(state.head?.contentLength == nil)
      #expect(state.trailers.map(\.name) == ["X-Sum", "X-Other"])
      #expect(state.trailers.map(\.value) == ["42", "two"])
    }
    #expect(server.connectionCount == 1)
  }

  @Test func informationalResponses() async throws {
    let server = try ScriptServer.answering(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let state = try await makeEngine().get(server.url())
    #expect(state.events == ["queue", "informational", "informational", "head", "body", "complete"])
    #expect(state.informational == [100, 103])
    #expect(state.head?.statusCode == 200)
    #expect(state.head?.fields.map(\.name) == ["Content-Length"])
  }

  @Test func errorsOfTheServerAreResponses() async throws {
    for status in [301, 304, 404, 500] {
      let length = status == 304 ? "" : "Content-Length: 0\r\n"
      let server = try ScriptServer.answering("HTTP/1.1 \(status) X\r\nLocation: /elsewhere\r\n\(length)\r\n")
      let state = try await makeEngine().get(server.url())
      #expect(state.head?.statusCode == status)
      #expect(state.failure == nil)
    }
  }

  @Test func ipv6Literal() async throws {
    let server = try ScriptServer(ipv6: true) { connection, _ in
      while connection.readHead() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }
    let state = try await makeEngine().get(server.url())
    #expect(state.body == Array("ok".utf8))
    #expect(state.metrics?.remoteAddress == "::1")
  }

  @Test func oddHeaderFields() async throws {
    let text = "HTTP/1.1 200\r\nA:\r\nFolded: one\r\n  two\r\n\tthree\r\nContent-Length: 0\r\nLatin: caf"
    let bytes = Array(text.utf8) + [0xe9] + Array("\r\nUTF: caf\u{e9}\r\n\r\n".utf8)
    let odd = try ScriptServer.answeringOnce(bytes)
    let state = try await makeEngine().get(odd.url())
    let head = try #require(state.head)
    #expect(state.failure == nil)
    #expect(head.firstValue(of: "A") == "")
    #expect(head.firstValue(of: "Folded") == "one two three")
    #expect(head.firstValue(of: "Latin") == "café")
    #expect(head.firstValue(of: "UTF") == "café")
  }

  @Test func contentCodingsAreDecoded() async throws {
    // "hello, world" by gzip.
    let gzip: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x28, 0xcf, 0x2f, 0xca, 0x49, 0x01,
      0, 0x3a, 0x72, 0xab, 0xff, 0x0c, 0, 0, 0,
    ]
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n"
    let server = try ScriptServer { connection, _ in
      while connection.readHead() != nil { connection.send(Array(head.utf8) + gzip) }
    }
    let engine = makeEngine()
    let decoded = try await engine.run(TransferRequest(url: server.url(), decodesContent: true))
    #expect(decoded.body == Array("hello, world".utf8))
    #expect(decoded.metrics?.responseBodyBytes == Int64(gzip.count))
    #expect(decoded.metrics?.decodedBodyBytes == 12)
    let raw = try await engine.run(TransferRequest(url: server.url()))
    #expect(raw.body == gzip)
  }
}
