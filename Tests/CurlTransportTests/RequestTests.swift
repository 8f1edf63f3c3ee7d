import Foundation
import Testing

@testable import URLLoadingCurlTransport

/// What goes over the wire for a request.
@Suite struct RequestTests {
  /// Sends a request to a server that answers 200 and returns the head that it got.
  private func head(
    of request: TransferRequest, path: String = "/", _ configuration: TransferEngineConfiguration? = nil
  ) async throws -> [String] {
    let seen = Signal<String>()
    let server = try ScriptServer { connection, _ in
      guard let head = connection.readHead() else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      seen.send(head)
      connection.waitForClose()
    }
    var request = request
    request.url = server.url(path)
    let engine = configuration.map { TransferEngine(configuration: $0) } ?? makeEngine()
    let state = try await engine.run(request)
    #expect(state.failure == nil)
    let head = try #require(await seen.wait())
    return head.components(separatedBy: "\r\n").filter { !$0.isEmpty && !$0.hasPrefix("Host: ") }
  }

  @Test func nothingIsAddedToTheHeader() async throws {
    let lines = try await head(of: TransferRequest(url: "", headers: [("X-One", "1"), ("X-Two", "2")]))
    #expect(lines == ["GET / HTTP/1.1", "X-One: 1", "X-Two: 2"])
  }

  /// Without its framing a body would be taken for the next request.
  @Test func framingIsNotOmitted() async throws {
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.omittedFields = ["content-length", "transfer-encoding", "x-one"]
    let request = TransferRequest(
      url: "", method: "POST", headers: [("X-One", "1"), ("X-Two", "2")], body: .data(Data("ab".utf8)))
    let lines = try await head(of: request, configuration)
    #expect(
      lines.contains("Content-Length: 2") && lines.contains("X-Two: 2") && !lines.contains { $0.hasPrefix("X-One") })
  }

  @Test func emptyValuesAreSent() async throws {
    let lines = try await head(of: TransferRequest(url: "", headers: [("X-Empty", ""), ("X-Blank", "  "), ("A", "b")]))
    #expect(lines == ["GET / HTTP/1.1", "X-Empty:", "X-Blank:", "A: b"])
  }

  @Test func repeatedFieldsAndNonASCIIValuesAreSentAsGiven() async throws {
    let lines = try await head(of: TransferRequest(url: "", headers: [("A", "é"), ("A", "2"), ("Accept", "x/y")]))
    #expect(lines == ["GET / HTTP/1.1", "A: é", "A: 2", "Accept: x/y"])
  }

  /// A handle keeps the memory of its fields: more, longer, fewer and none follow each other.
  @Test func oneAfterAnotherEachHasItsOwnFields() async throws {
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)")
      }
    }
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.maximumConnectionsPerHost = 1
    configuration.userAgent = "me"
    let engine = TransferEngine(configuration: configuration)
    let long = String(repeating: "é", count: 2000)
    let lists: [[(name: String, value: String)]] = [
      [], [("A", "1")], [("A", "2"), ("B", "")], [], (0..<50).map { ("N-\($0)", "\($0)") }, [("Long", long)],
      [("User-Agent", "other")], [("A", " 3\t"), ("Accept", "x/y")], [("A", "3")], [("user-agent", ""), ("C", "4")], [],
    ]
    for list in lists {
      let state = try await engine.run(TransferRequest(url: server.url(), headers: list))
      let lines = String(decoding: state.body, as: UTF8.self).components(separatedBy: "\r\n")
      var expected = list.map { "\($0.name): \($0.value.trimmingCharacters(in: .whitespaces))" }
      expected = expected.map { $0.hasSuffix(": ") ? String($0.dropLast()) : $0 }
      if !list.contains(where: { $0.name.lowercased() == "user-agent" }) { expected.append("User-Agent: me") }
      #expect(lines.filter { !$0.isEmpty && !$0.hasPrefix("Host: ") } == ["GET / HTTP/1.1"] + expected)
    }
    #expect(server.connectionCount == 1)
  }

  @Test func thePathIsSentAsItIs() async throws {
    let lines = try await head(of: TransferRequest(url: ""), path: "/a/../b/./c%2F?q=%20#fragment")
    #expect(lines.first == "GET /a/../b/./c%2F?q=%20 HTTP/1.1")
  }

  /// What a handle was asked for before is not taken apart again. The first of a row goes to a fresh handle, and others follow it.
  @Test func oneAfterAnotherOnOneConnectionEachAsksForItsOwnURL() async throws {
    let targets = [
      "/a", "/a", "/a", "/b?q=1", "/b?q=1", "/a", "/a/../b/./c%2F?q=%20#part", "/a/../b/./c%2F?q=%20#part", "/a",
      "/%C3%A9/?%FC", "/%C3%A9/?%FC", "/",
    ]
    let seen = Signal<String>()
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        seen.send(String(head.prefix { $0 != "\r\n" }))
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let engine = makeEngine(connectionsPerHost: 1)
    for target in targets {
      #expect(try await engine.get(server.url(target)).failure == nil)
      let sent = target.prefix { $0 != "#" }
      let line = await seen.wait()
      #expect(line == "GET \(sent) HTTP/1.1")
    }
    #expect(server.connectionCount == 1)
  }

  /// The server ends the connection where a request comes for the third time: libcurl sends that again on a new one.
  @Test func aRepeatedRequestIsSentAgainWhenItsConnectionIsGone() async throws {
    let server = try ScriptServer { connection, number in
      var count = 0
      while let head = connection.readHead() {
        count += 1
        if number == 0, count == 4 { return }
        let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
      }
    }
    let engine = makeEngine(connectionsPerHost: 1)
    for path in ["/one", "/two", "/two", "/two", "/two", "/one"] {
      let state = try await engine.get(server.url(path))
      #expect(state.failure == nil)
      #expect(String(decoding: state.body, as: UTF8.self) == path)
    }
    #expect(server.connectionCount == 2)
  }

  @Test(arguments: ["DELETE", "OPTIONS", "PROPFIND", "get"])
  func otherMethods(method: String) async throws {
    let lines = try await head(of: TransferRequest(url: "", method: method))
    #expect(lines == ["\(method) / HTTP/1.1"])
  }

  @Test(arguments: ["POST", "PUT", "PATCH"])
  func methodsThatExpectABodySayThatThereIsNone(method: String) async throws {
    let lines = try await head(of: TransferRequest(url: "", method: method))
    #expect(lines == ["\(method) / HTTP/1.1", "Content-Length: 0"])
  }

  @Test func theEngineFramesTheMessage() async throws {
    let lines = try await head(
      of: TransferRequest(url: "", headers: [("content-length", "7"), ("Transfer-Encoding", "chunked"), ("A", "b")]))
    #expect(lines == ["GET / HTTP/1.1", "A: b"])
  }

  @Test func acceptEncodingIsTheCallers() async throws {
    let lines = try await head(
      of: TransferRequest(url: "", headers: [("Accept-Encoding", "gzip")], decodesContent: true))
    #expect(lines == ["GET / HTTP/1.1", "Accept-Encoding: gzip"])
    let automatic = try await head(of: TransferRequest(url: "", decodesContent: true))
    #expect(automatic == ["GET / HTTP/1.1", "Accept-Encoding: \(supportedContentCodings)"])
    #expect(supportedContentCodings.contains("gzip"))
  }

  @Test func theLanguagesAreThoseOfTheEngineUnlessTheRequestHasItsOwn() async throws {
    var configuration = TransferEngineConfiguration()
    configuration.acceptLanguage = "de-DE,de;q=0.9"
    configuration.userAgent = "me"
    let lines = try await head(of: TransferRequest(url: "", headers: [("A", "b")]), configuration)
    #expect(lines == ["GET / HTTP/1.1", "A: b", "User-Agent: me", "Accept-Language: de-DE,de;q=0.9"])
    let own = try await head(of: TransferRequest(url: "", headers: [("ACCEPT-language", "fr")]), configuration)
    #expect(own == ["GET / HTTP/1.1", "ACCEPT-language: fr", "User-Agent: me"])
    let empty = try await head(of: TransferRequest(url: "", headers: [("Accept-Language", "")]), configuration)
    #expect(empty == ["GET / HTTP/1.1", "Accept-Language:", "User-Agent: me"])
  }

  @Test(arguments: [
    ("GET", "X", "a\r\nInjected: 1"), ("GET", "X", "a\nb"), ("GET", "X", "a\0b"), ("GET", "X\r\nY", "a"),
    ("GET", "", "a"), ("GET", "X Y", "a"), ("GET", "X:", "a"), ("GET\r\nX: y", "A", "b"), ("", "A", "b"),
    ("GET / HTTP/1.1", "A", "b"), ("CONNECT", "A", "b"),
  ])
  func whatWouldSayMoreThanMeantIsRefused(method: String, name: String, value: String) async throws {
    let server = try ScriptServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let request = TransferRequest(url: server.url(), method: method, headers: [(name, value)])
    let state = try await makeEngine().run(request)
    let failure = try #require(state.failure)
    guard case .invalidRequest = failure.reason else {
      Issue.record("\(failure)")
      return
    }
    #expect(state.events == ["complete"])
    #expect(failure.urlErrorCode == .badURL)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\0", "", "http://", "nonsense",
  ])
  func badURLs(url: String) async throws {
    let state = try await makeEngine().get(url)
    #expect([-1000, -1002, -1003].contains(try #require(state.failure).urlErrorCode.rawValue), "\(state)")
  }

  @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "dict://127.0.0.1/"])
  func otherSchemesAreRefused(url: String) async throws {
    let failure = try #require(try await makeEngine().get(url).failure)
    #expect(failure.urlErrorCode.rawValue == -1002)
  }
}
