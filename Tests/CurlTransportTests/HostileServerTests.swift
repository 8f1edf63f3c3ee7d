import Foundation
import Testing
import URLLoadingCurlTransport

/// Servers that break the rules. Each gets one completion, with the right error, and the engine goes on working.
@Suite struct HostileServerTests {
  private func failure(
    after response: String, decodesContent: Bool = false, engine: TransferEngine = makeEngine()
  ) async throws -> (failure: TransferFailure, state: Recorder.State) {
    let server = try ScriptServer.answeringOnce(Array(response.utf8))
    let state = try await engine.run(TransferRequest(url: server.url(), decodesContent: decodesContent))
    #expect(state.events.filter { $0 == "complete" }.count == 1)
    return (try #require(state.failure, "\(state.events)"), state)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "a body below its length"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "half a chunk"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "no last chunk"),
    ("HTTP/1.1 200 OK\r\nContent-Le", "half a head"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "no end of the head"),
    ("", "nothing"),
  ])
  func truncation(response: String, what: String) async throws {
    let (failure, _) = try await failure(after: response)
    #expect(failure.urlErrorCode.rawValue == -1005, "\(what): \(failure)")
    #expect(!failure.message.isEmpty)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "hello, this is HTTP/0.9\r\n",
    "<html>not HTTP at all</html>",
    "HTTP/1.1 abc\r\n\r\n",
    "HTTP/7.3 200 OK\r\n\r\n",
  ])
  func nonsense(response: String) async throws {
    let (failure, _) = try await failure(after: response)
    #expect([-1017, -1005].contains(failure.urlErrorCode.rawValue), "\(failure)")
    if !response.contains("chunked") { #expect(failure.urlErrorCode.rawValue == -1017, "\(failure)") }
  }

  @Test(arguments: ["99999999999999999999", "5\r\nContent-Length: 6", "5, 6", "5x"])
  func lengthsThatSayNothing(value: String) async throws {
    let (failure, state) = try await failure(after: "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    #expect(failure.urlErrorCode.rawValue == -1017, "\(failure)")
    #expect(state.head == nil)
  }

  @Test func garbageForGzip() async throws {
    let (failure, state) = try await failure(
      after: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\nthis is no gzip data",
      decodesContent: true)
    #expect(failure.urlErrorCode.rawValue == -1015, "\(failure)")
    #expect(state.head?.statusCode == 200)
  }

  /// Sends lines until the client closes.
  private func endless(_ first: String, _ line: @escaping @Sendable (Int) -> String) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      guard connection.readHead() != nil, connection.send(first) else { return }
      for number in 0..<2_000_000 {
        guard connection.send(line(number)) else { return }
      }
    }
  }

  @Test func headersWithoutEnd() async throws {
    let server = try endless("HTTP/1.1 200 OK\r\n") { "X-\($0): \(String(repeating: "x", count: 4000))\r\n" }
    let failure = try #require(try await makeEngine().get(server.url()).failure)
    #expect(failure.urlErrorCode.rawValue == -1103, "\(failure)")
    #expect(failure.reason == .headTooLarge)
  }

  @Test func tooManyFields() async throws {
    let server = try endless("HTTP/1.1 200 OK\r\n") { "X\($0): \r\n" }
    let failure = try #require(try await makeEngine().get(server.url()).failure)
    #expect(failure.urlErrorCode.rawValue == -1103, "\(failure)")
  }

  @Test func aLineWithoutEnd() async throws {
    let server = try endless("HTTP/1.1 200 OK\r\nX: ") { _ in String(repeating: "x", count: 65_536) }
    let state = try await makeEngine().get(server.url())
    #expect(state.failure?.urlErrorCode.rawValue == -1103, "\(state)")
  }

  @Test func informationalResponsesWithoutEnd() async throws {
    let server = try endless("") { "HTTP/1.1 103 Early Hints\r\nX: \($0)\r\n\r\n" }
    let failure = try #require(try await makeEngine().get(server.url()).failure)
    #expect(failure.urlErrorCode.rawValue == -1103, "\(failure)")
  }

  @Test func trailersWithoutEnd() async throws {
    let server = try endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n") {
      "X-\($0): \(String(repeating: "x", count: 1000))\r\n"
    }
    let state = try await makeEngine().get(server.url())
    #expect(state.failure?.urlErrorCode.rawValue == -1103, "\(state)")
  }

  @Test func bytesPastTheEndAreIgnored() async throws {
    let server = try ScriptServer { connection, _ in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and HTTP/1.1 200 OK\r\nX: evil\r\n\r\n")
      }
    }
    let engine = makeEngine()
    for _ in 0..<3 {
      let state = try await engine.get(server.url())
      #expect(state.body == Array("ok".utf8))
      #expect(state.failure == nil)
      #expect(state.head?.firstValue(of: "X") == nil)
    }
  }

  @Test func resetBeforeAndInTheBody() async throws {
    let engine = makeEngine()
    let before = try ScriptServer { connection, _ in
      _ = connection.readHead()
      connection.reset()
    }
    #expect(try await engine.get(before.url()).failure?.urlErrorCode.rawValue == -1005)
    let inside = try ScriptServer { connection, _ in
      _ = connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome")
      connection.reset()
    }
    #expect(try await engine.get(inside.url()).failure?.urlErrorCode.rawValue == -1005)
  }

  @Test func nobodyListens() async throws {
    let server = try ScriptServer.answering("")
    let url = server.url()
    server.stop()
    let failure = try #require(try await makeEngine().get(url).failure)
    #expect(failure.urlErrorCode.rawValue == -1004)
    #expect(failure.curlCode == 7)
    #expect(failure.message.contains("\(server.port)"), "libcurl's own words: \(failure.message)")
  }

  @Test func anUnknownHost() async throws {
    let failure = try #require(try await makeEngine().get("http://no-such-host.invalid/").failure)
    #expect(failure.urlErrorCode.rawValue == -1003)
  }

  @Test func theEngineGoesOn() async throws {
    let engine = makeEngine()
    let good = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    for response in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "junk"] {
      _ = try await failure(after: response, engine: engine)
      #expect(try await engine.get(good.url()).body == Array("ok".utf8))
    }
  }
}
