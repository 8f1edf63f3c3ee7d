import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// URLs that libcurl gets in two parts make the same bytes on the wire as those that it gets whole.
@Suite(.timeLimit(.minutes(2))) struct RequestTargetTests {
  /// What comes behind scheme, host and port.
  static let split = [
    "/", "/a", "/a?b=c", "/a?b=c?d=e", "//a//b", "/../a/./b/..", "/a;p=1/b", "/%2F%3F%C3%A9", "/?q=%e4%C3%a4",
    "/a?http://x:1/y@z",
    "/@a:b", "/a\\b^c`{d|e}<f>\"'", "/?/../?", "/\(String(repeating: "a", count: 20_000))",
  ]
  static let whole = [
    "", "?a=b", "#a", "/#a", "/a?b#c", "/a?", "/é?ü", "/a?é", "/%c3%a9/%zz%", "/%2e%2E/a",
  ]

  private func engine(splitsURLs: Bool, proxy: ProxyConfiguration = .direct) async throws -> TransferEngine {
    var configuration = TransferEngineConfiguration()
    configuration.splitsURLs = splitsURLs
    configuration.maximumConnectionsPerHost = 1
    configuration.proxy = proxy
    configuration.userAgent = "test"
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    return TransferEngine(configuration: configuration)
  }

  /// A server that answers each request with its head.
  private func echo() throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)")
      }
    }
  }

  /// The heads of requests for the URLs, one after another, and so by the same handle.
  private func heads(_ urls: [String], splitsURLs: Bool, proxy: ProxyConfiguration = .direct) async throws -> [String] {
    let engine = try await engine(splitsURLs: splitsURLs, proxy: proxy)
    var result: [String] = []
    for url in urls {
      let state = try await engine.get(url)
      #expect(state.failure == nil, "\(url)")
      result.append(String(decoding: state.body, as: UTF8.self))
    }
    return result
  }

  @Test func sameBytesByHTTP1() async throws {
    let server = try echo()
    // Each kind follows each of the others' ways, and comes twice in a row.
    let targets = zip(Self.split, Self.whole + Self.whole).flatMap { [$0, $0, $1, $1] } + Self.split
    let urls = targets.flatMap { target in
      ["127.0.0.1", "localhost", "LOCALHOST"].map { "http://\($0):\(server.port)\(target)" }
    }
    let whole = try await heads(urls, splitsURLs: false)
    #expect(try await heads(urls, splitsURLs: true) == whole)
    for (head, url) in zip(whole, urls) {
      guard let target = Self.split.first(where: { url.hasSuffix("\(server.port)\($0)") }) else { continue }
      #expect(head.hasPrefix("GET \(target) HTTP/1.1\r\n"), "\(url)")
    }
  }

  @Test func userInformationIsLibcurls() async throws {
    let server = try echo()
    let urls = ["", "user@", "", "user:secret@", ""].map { "http://\($0)127.0.0.1:\(server.port)/a?b" }
    let split = try await heads(urls, splitsURLs: true)
    #expect(try await heads(urls, splitsURLs: false) == split)
    #expect(split.map { $0.contains("Authorization: Basic") } == [false, true, false, true, false])
    #expect(split.allSatisfy { $0.hasPrefix("GET /a?b HTTP/1.1\r\n") })
  }

  @Test func digestSignsTheTarget() async throws {
    let seen = SharedValue<[String]>([])
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        guard let field = head.components(separatedBy: "\r\n").first(where: { $0.hasPrefix("Authorization: Digest") })
        else {
          connection.send(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n"
          )
          continue
        }
        let parts = field.components(separatedBy: ", ").filter { $0.hasPrefix("uri=") || $0.hasPrefix("response=") }
        seen.withLock { $0.append(parts.joined(separator: " ")) }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    for splitsURLs in [false, true] {
      let engine = try await engine(splitsURLs: splitsURLs)
      #expect(try await engine.get(server.url("/other")).head?.statusCode == 401)
      var request = TransferRequest(url: server.url("/a/b?c=d"))
      request.credential = TransferCredential(user: "user", password: "secret", schemes: .digest)
      #expect(try await engine.run(request).head?.statusCode == 200)
    }
    let answers = seen.withLock { $0 }
    #expect(answers.count == 2 && answers.first == answers.last)
    #expect(answers.first?.contains("uri=\"/a/b?c=d\"") == true, "\(answers)")
  }

  /// What is remembered of an origin holds for no other, whatever the port.
  @Test func eachOriginHasItsOwnProxy() async throws {
    let (proxy, server) = (try echo(), try echo())
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "127.0.0.1", port: proxy.port)
    settings.exceptions = ["127.0.0.1:\(server.port)"]
    let engine = try await engine(splitsURLs: true, proxy: .settings(settings))
    func line(_ url: String) async throws -> String {
      String(decoding: try await engine.get(url).body.prefix { $0 != 13 }, as: UTF8.self)
    }
    for number in 0..<3 {
      #expect(try await line(server.url("/\(number)")) == "GET /\(number) HTTP/1.1")
      for url in ["http://a.test/\(number)", "http://127.0.0.1:1/\(number)"] {
        #expect(try await line(url) == "GET \(url) HTTP/1.1")
      }
    }
  }

  @Test func proxiesGetTheWholeURL() async throws {
    let proxy = try echo()
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "127.0.0.1", port: proxy.port)
    let urls = Self.split.map { "http://a.test\($0)" }
    let split = try await heads(urls, splitsURLs: true, proxy: .settings(settings))
    #expect(try await heads(urls, splitsURLs: false, proxy: .settings(settings)) == split)
    for (head, url) in zip(split, urls) { #expect(head.hasPrefix("GET \(url) HTTP/1.1\r\n"), "\(url)") }
  }

  /// The blocks of fields are compared: they are coded alike where what they say is the same.
  @Test func sameBytesByHTTP2() async throws {
    let blocks = SharedValue<[Data]>([])
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      while true {
        let (stream, block) = try Self.readRequest(connection)
        blocks.withLock { $0.append(block) }
        try connection.send([.head(stream: stream, [("content-length", "0")], ends: true)])
      }
    }
    let front = try await TLSFront.start(before: server.port)
    var sent: [[Data]] = []
    for splitsURLs in [false, true] {
      let engine = try await engine(splitsURLs: splitsURLs)
      for target in Self.split.dropLast() + Self.whole + Self.split.dropLast() {
        let state = try await engine.get("https://127.0.0.1:\(front.port)\(target)")
        #expect(state.failure == nil && state.metrics?.networkProtocol == "h2", "\(target)")
      }
      sent.append(blocks.withLock { $0 })
      blocks.withLock { $0 = [] }
    }
    #expect(sent[0].count == 2 * (Self.split.count - 1) + Self.whole.count)
    #expect(sent[0] == sent[1])
  }

  private static func readRequest(_ connection: Connection) throws -> (stream: UInt32, block: Data) {
    while true {
      let frame = try connection.readFrame()
      switch HTTP2Frame.Kind(rawValue: frame.type) {
      case .settings where frame.flags & HTTP2Frame.acknowledgement == 0:
        try connection.send([HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement)])
      case .headers: return (frame.stream, frame.payload)
      default: break
      }
    }
  }

  /// libcurl sends the request again on a new connection, and has only the origin's URL to do it with.
  @Test func aRequestThatIsSentAgainHasItsTarget() async throws {
    let server = try ScriptServer { connection, number in
      var count = 0
      while let head = connection.readHead() {
        count += 1
        // A connection is closed on its second request.
        if count == 2, number < 3 { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)")
      }
    }
    let engine = try await engine(splitsURLs: true)
    for target in ["/a", "/b?c", "/d", "/e?f"] {
      let state = try await engine.get(server.url(target))
      #expect(String(decoding: state.body, as: UTF8.self).hasPrefix("GET \(target) HTTP/1.1\r\n"), "\(target)")
    }
    #expect(server.connectionCount == 4)
  }
}
