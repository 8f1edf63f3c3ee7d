import Foundation
import Testing
import URLLoadingCurlTransport

/// Lines that begin with whitespace: ignored before the first field (RFC 9112, section 2.2), and from there on the rest of the field before them
/// (section 5.2).
///
/// libcurl 7.88 ends the process for some of the first kind, where its handle has had a response before.
@Suite struct FirstFieldTests {
  private static let end = "Content-Length: 5\r\n\r\nTest."
  private static let good =
    "HTTP/1.1 200 OK\r\nX-Earlier: \(String(repeating: "a", count: 100))\r\nContent-Length: 2\r\n\r\nok"

  /// A server that answers by the number in the path.
  private func server(_ answers: [String]) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        guard let number = Int(path.drop { !$0.isNumber }), answers.indices.contains(number) else { return }
        connection.send(answers[number])
      }
    }
  }

  static let heads = [
    "HTTP/1.1 200 OK\r\n X: y\r\n", "HTTP/1.1 200 OK\r\n\tX: y\r\n", "HTTP/1.1 200 OK\n X: y\n",
    "HTTP/1.1 200 OK\r\n :\r\n", "HTTP/1.1 200 OK\r\n    X: y\r\n   folded\r\n\tZ: w\r\n",
    "HTTP/2 200 OK\r\n X: y\r\n", "HTTP/1.1 200 OK\r\n Content-Length: 50\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n X: y\r\n",
    "HTTP/1.1 103 Early Hints\r\n X: y\r\n\r\nHTTP/1.1 200 OK\r\n",
    "HTTP/1.1 103 Early Hints\r\n X: y\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n X: y\r\n Z: w\r\n",
  ]

  @Test(arguments: heads) func aLineBeforeTheFirstFieldIsIgnored(_ head: String) async throws {
    // Newer libcurls refuse a version that the connection does not have.
    let server = try server([Self.good, head + Self.end])
    let engine = makeEngine()
    for _ in 0..<3 {
      #expect(try await engine.get(server.url("/0")).body == Array("ok".utf8))
      let state = try await engine.get(server.url("/1"))
      if let failure = state.failure, head.hasPrefix("HTTP/2"), failure.urlErrorCode == .cannotParseResponse {
        continue
      }
      #expect(state.failure == nil && state.body == Array("Test.".utf8), "\(state.events)")
      #expect(state.head?.fields.map(\.name) == ["Content-Length"], "\(state.head?.fields ?? [])")
    }
  }

  /// The first transfer of a handle finds nothing of an earlier one.
  @Test(arguments: heads) func alsoInTheFirstResponse(_ head: String) async throws {
    let server = try server([head + Self.end])
    let state = try await makeEngine().get(server.url("/0"))
    if let failure = state.failure, head.hasPrefix("HTTP/2"), failure.urlErrorCode == .cannotParseResponse { return }
    #expect(state.failure == nil && state.body == Array("Test.".utf8), "\(state.events)")
  }

  /// libcurl takes no line without a colon there, in any version: the other thing that RFC 9112 allows, in section 2.2.
  @Test(arguments: [" folded\r\n", "\t\r\n", " \r\n"]) func aLineWithoutAColonIsRefused(_ line: String) async throws {
    let server = try server([Self.good, "HTTP/1.1 200 OK\r\n\(line)\(Self.end)"])
    let engine = makeEngine()
    _ = try await engine.get(server.url("/0"))
    let state = try await engine.get(server.url("/1"))
    #expect(state.failure?.urlErrorCode == .cannotParseResponse, "\(state.events)")
    #expect(try await engine.get(server.url("/0")).body == Array("ok".utf8))
  }

  @Test func laterLinesAreJoinedByASpace() async throws {
    let server = try server([
      Self.good, "HTTP/1.1 200 OK\r\n X: y\r\nA: 1\r\n\t two\r\n three \r\nB: 4\r\n \r\n\(Self.end)",
    ])
    let engine = makeEngine()
    for _ in 0..<3 {
      _ = try await engine.get(server.url("/0"))
      let state = try await engine.get(server.url("/1"))
      #expect(state.failure == nil && state.body == Array("Test.".utf8), "\(state.events)")
      #expect(state.head?.fields.map(\.name) == ["A", "B", "Content-Length"])
      #expect(state.head?.fields.map(\.value) == ["1 two three", "4", "5"])
    }
  }

  /// libcurl reads on although receiving is paused, and keeps the lines that it has read.
  @Test func whatComesWhilePausedIsNoException() async throws {
    let server = try server([Self.good, "HTTP/1.1 200 OK\r\n X: y\r\n\(Self.end)"])
    let engine = makeEngine()
    for round in 0..<10 {
      _ = try await engine.get(server.url("/0"))
      let recorder = Recorder()
      let started = Signal<Transfer>()
      EventLoop.shared.execute {
        let transfer = engine.start(TransferRequest(url: server.url("/1")), handler: recorder)
        transfer.pause()
        started.send(transfer)
      }
      let transfer = try #require(await started.wait())
      for _ in 0..<5 {
        EventLoop.shared.execute {
          transfer.resume()
          transfer.pause()
        }
        _ = try await engine.get(server.url("/0"))
      }
      transfer.resume()
      let state = try await recorder.completion()
      #expect(state.failure == nil && state.body == Array("Test.".utf8), "\(round): \(state.events)")
    }
  }

  /// The answer of a proxy to CONNECT is a head, too.
  @Test func aProxyThatBeginsWithSuchALine() async throws {
    let proxy = try ScriptServer { connection, _ in
      guard let head = connection.readHead() else { return }
      if head.hasPrefix("CONNECT") {
        connection.send("HTTP/1.1 403 No\r\n X: y\r\nContent-Length: 0\r\n\r\n")
      } else {
        connection.send(Self.good)
      }
    }
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "127.0.0.1", port: proxy.port)
    settings.https = settings.http
    let engine = makeEngine(proxy: .settings(settings))
    for _ in 0..<3 {
      #expect(try await engine.get("http://a.invalid/").body == Array("ok".utf8))
      let state = try await engine.get("https://a.invalid/")
      #expect(state.failure?.urlErrorCode == .cannotConnectToHost, "\(state.events)")
    }
  }

  /// What the engine records of requests, it records in the same log.
  @Test func whereHeadsOfRequestsAreRecorded() async throws {
    let server = try server([Self.good, "HTTP/1.1 200 OK\r\n X: y\r\n\(Self.end)"])
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.network.recordsRequestHeads = true
    let engine = TransferEngine(configuration: configuration)
    for _ in 0..<3 {
      for (path, body) in [("/0", "ok"), ("/1", "Test.")] {
        let state = try await engine.get(server.url(path))
        #expect(state.body == Array(body.utf8), "\(state.events)")
        #expect(state.metrics?.sentRequestHead?.hasPrefix("GET \(path) HTTP/1.1\r\n") == true)
      }
    }
  }
}
