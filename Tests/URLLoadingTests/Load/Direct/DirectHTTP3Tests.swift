import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// Direct loads whose way may be HTTP/3, and where they become whole ones.
@Suite(.timeLimit(.minutes(4)), .enabled(if: TransferLibrary.speaksHTTP3)) struct DirectHTTP3Tests {
  private static func session(_ change: (URLSessionConfiguration) -> Void = { _ in }) async throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configuration.urlCache = nil
    configuration.network.maximumHTTPVersion = .http3
    configuration[QUICSettings.self].headStart = .seconds(20)
    configuration[DirectLaneSettings.self].isOpen = true
    change(configuration)
    return URLSession(configuration: configuration)
  }

  private static func load(
    _ url: URL, _ method: String = "GET", _ body: Data? = nil, assumes: Bool = false, in session: URLSession
  ) async -> DirectHTTPTests.Outcome {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.assumesHTTP3Capable = assumes
    return await DirectHTTPTests.load(request, in: session)
  }

  private static func announce(_ port: UInt16, of url: URL, in session: URLSession) throws {
    let origin = try #require(HTTPOrigin(url))
    session.parts.policyStorage.recordAlternatives("h3=\":\(port)\"", from: origin, isVerified: true, age: 0)
  }

  @Test func anAnnouncedServerIsReachedByItFromThenOn() async throws {
    let caddy = try await CaddyServer.start(
      directives: "respond /version {http.request.proto}\nrespond /echo \"{header.Alt-Used} {http.request.body}\"")
    let session = try await Self.session()
    var outcomes: [DirectHTTPTests.Outcome] = []
    for _ in 0..<3 { outcomes.append(await Self.load(caddy.url("/version"), in: session)) }
    #expect(outcomes.map(\.text) == ["HTTP/2.0", "HTTP/3.0", "HTTP/3.0"])
    #expect(outcomes.allSatisfy { $0.wasDirect && $0.response?.statusCode == 200 })
    let sent = await Self.load(caddy.url("/echo"), "POST", Data("hello".utf8), in: session)
    #expect(sent.text == "127.0.0.1:\(caddy.securePort) hello" && sent.wasDirect)
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func aRequestMayAssumeIt() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /version {http.request.proto}")
    let session = try await Self.session { $0.network.maximumHTTPVersion = .http2 }
    let assuming = await Self.load(caddy.url("/version"), assumes: true, in: session)
    let plain = await Self.load(caddy.url("/version"), in: session)
    #expect(assuming.text == "HTTP/3.0" && plain.text == "HTTP/2.0" && assuming.wasDirect && plain.wasDirect)
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func bodiesGoBothWays() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo {http.request.body}")
    let session = try await Self.session()
    for size in [1, 100_000, 1_000_000] {
      let body = Data((0..<size).map { UInt8(97 + $0 % 26) })
      let outcome = await Self.load(caddy.url("/echo"), "POST", body, assumes: true, in: session)
      #expect(outcome.data == body && outcome.wasDirect)
    }
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func aRedirectIsFollowedByIt() async throws {
    let caddy = try await CaddyServer.start(
      directives: "redir /old /version\nrespond /version {http.request.proto}")
    let session = try await Self.session()
    let outcome = await Self.load(caddy.url("/old"), assumes: true, in: session)
    #expect(outcome.text == "HTTP/3.0" && outcome.response?.url == caddy.url("/version") && !outcome.wasDirect)
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func whatIsNotWholeFails() async throws {
    let server = try await QUICServer.start()
    for path in ["/reset", "/short", "/nothing"] {
      let session = try await Self.session()
      let outcome = await Self.load(try server.url(path), assumes: true, in: session)
      #expect(outcome.error != nil && outcome.data == nil, "\(path)")
      session.invalidateAndCancel()
    }
    // What has begun to be answered is not sent again.
    #expect(server.requests(for: "/reset") == 1 && server.requests(for: "/short") == 1)
    await server.stop()
  }

  /// Proxies carry no datagrams.
  @Test func aProxyIsReachedByTCP() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /version {http.request.proto}")
    let proxy = try await SquidServer.shared
    let session = try await Self.session {
      $0.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(proxy.port)]
    }
    try Self.announce(caddy.securePort, of: caddy.url(), in: session)
    for _ in 0..<2 {
      let outcome = await Self.load(caddy.url("/version"), assumes: true, in: session)
      #expect(outcome.text == "HTTP/2.0" && outcome.wasDirect, "\(String(describing: outcome.error))")
    }
    session.invalidateAndCancel()
    #expect(await proxy.waitForRequest("CONNECT 127.0.0.1:\(caddy.securePort) 200"))
    await caddy.stop()
  }

  /// Loads a request, and looks whether it is direct when its datagrams have come.
  private static func load(
    _ request: URLRequest, in session: URLSession, by relay: DatagramRelay
  ) async throws -> DirectHTTPTests.Outcome {
    let before = relay.received
    return try await DirectHTTPTests.load(request, in: session) { task async throws in
      #expect(try await eventually { relay.received > before })
      #expect(task.load.isDirect)
    }
  }

  private static func request(_ url: URL, _ method: String, _ body: Data? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    return request
  }

  @Test(arguments: ["GET", "POST"]) func droppedDatagramsAreFollowedByTCP(_ method: String) async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo \"{http.request.proto} {http.request.body}\"")
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let session = try await Self.session { $0[QUICSettings.self].headStart = .seconds(2) }
    try Self.announce(relay.port, of: caddy.url(), in: session)
    let body = method == "POST" ? Data("hello".utf8) : nil
    let outcome = try await Self.load(Self.request(caddy.url("/echo"), method, body), in: session, by: relay)
    #expect(outcome.text == "HTTP/2.0 \(body == nil ? "" : "hello")" && outcome.error == nil && !outcome.wasDirect)
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func manyAtOnceLoseOneHeadStart() async throws {
    let caddy = try await CaddyServer.shared
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let session = try await Self.session { $0[QUICSettings.self].headStart = .seconds(2) }
    try Self.announce(relay.port, of: caddy.url(), in: session)
    let start = ContinuousClock.now
    let outcomes = await withTaskGroup(of: DirectHTTPTests.Outcome.self) { group in
      for _ in 0..<200 { group.addTask { await Self.load(caddy.url(), in: session) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.error == nil && $0.data == DocumentRoot.small })
    // One after another they would take minutes.
    #expect(start.duration(to: .now) < .seconds(20))
    session.invalidateAndCancel()
  }

  @Test(arguments: ["GET", "POST"]) func aConnectionThatHasDiedIsLeft(_ method: String) async throws {
    let caddy = try await CaddyServer.start(directives: "respond /version {http.request.proto}")
    let relay = try DatagramRelay(to: caddy.securePort)
    defer { relay.stop() }
    let session = try await Self.session()
    try Self.announce(relay.port, of: caddy.url(), in: session)
    #expect(await Self.load(caddy.url("/version"), in: session).text == "HTTP/3.0")
    try await relay.waitForQuiet()
    relay.isDropping = true
    let body = method == "POST" ? Data("a".utf8) : nil
    let outcome = try await Self.load(Self.request(caddy.url("/version"), method, body), in: session, by: relay)
    if method == "GET" {
      #expect(outcome.text == "HTTP/2.0" && !outcome.wasDirect)
    } else {
      // Nothing tells whether it was carried out.
      #expect(outcome.error?.code == .networkConnectionLost && outcome.response == nil)
    }
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func aMisdirectedRequestGoesToTheOrigin() async throws {
    let other = try await CaddyServer.start(directives: "respond 421")
    let nginx = try await NginxServer.shared
    let session = try await Self.session()
    let url = nginx.url("/small.txt", on: .https)
    try Self.announce(other.securePort, of: url, in: session)
    let outcome = await Self.load(url, in: session)
    #expect(outcome.response?.statusCode == 200 && outcome.data == DocumentRoot.small && !outcome.wasDirect)
    #expect(try await eventually { other.log.contains("\"status\":421") })
    let origin = try #require(HTTPOrigin(url))
    #expect(session.parts.policyStorage.alternative(for: origin) == nil)
    session.invalidateAndCancel()
    await other.stop()
  }

  /// By TCP the origin is trusted: the load fails all the same.
  @Test func aCertificateThatIsNotTrustedFailsTheLoad() async throws {
    let server = try await QUICServer.start()
    let nginx = try await NginxServer.shared
    let session = try await Self.session()
    let url = nginx.url("/small.txt", on: .https)
    try Self.announce(try server.port("untrusted"), of: url, in: session)
    let outcome = await Self.load(url, in: session)
    #expect(outcome.error?.code == .serverCertificateUntrusted && outcome.response == nil)
    session.invalidateAndCancel()
    await server.stop()
  }
}
