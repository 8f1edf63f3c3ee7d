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

  /// Proxies carry no datagrams.
  @Test func aProxyIsReachedByTCP() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /version {http.request.proto}")
    let proxy = try await SquidServer.shared
    let session = try await Self.session {
      $0.connectionProxyDictionary = [
        "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(proxy.port),
      ]
    }
    try Self.announce(caddy.securePort, of: caddy.url(), in: session)
    for _ in 0..<2 {
      let outcome = await Self.load(caddy.url("/version"), assumes: true, in: session)
      #expect(outcome.text == "HTTP/2.0", "\(String(describing: outcome.error))")
    }
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func droppedDatagramsAreFollowedByTCP() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo \"{http.request.proto} {http.request.body}\"")
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let session = try await Self.session { $0[QUICSettings.self].headStart = .milliseconds(200) }
    for (method, body) in [("GET", nil), ("POST", Data("hello".utf8))] {
      session.component(HTTPRoutes.self).flush()
      try Self.announce(relay.port, of: caddy.url(), in: session)
      let (before, start) = (relay.received, ContinuousClock.now)
      let outcome = await Self.load(caddy.url("/echo"), method, body, in: session)
      #expect(outcome.text == "HTTP/2.0 \(body == nil ? "" : "hello")" && outcome.error == nil)
      #expect(relay.received > before && start.duration(to: .now) >= .milliseconds(100) && !outcome.wasDirect)
    }
    session.invalidateAndCancel()
    await caddy.stop()
  }

  @Test func aConnectionThatHasDiedIsLeft() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /version {http.request.proto}")
    let relay = try DatagramRelay(to: caddy.securePort)
    defer { relay.stop() }
    let session = try await Self.session()
    try Self.announce(relay.port, of: caddy.url(), in: session)
    #expect(await Self.load(caddy.url("/version"), in: session).text == "HTTP/3.0")
    try await relay.waitForQuiet()
    relay.isDropping = true
    #expect(await Self.load(caddy.url("/version"), in: session).text == "HTTP/2.0")
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
    #expect(outcome.response?.statusCode == 200 && outcome.data == DocumentRoot.small && other.log.contains("421"))
    let origin = try #require(HTTPOrigin(url))
    #expect(session.parts.policyStorage.alternative(for: origin) == nil)
    session.invalidateAndCancel()
    await other.stop()
  }

  @Test func aCertificateThatIsNotTrustedFailsTheLoad() async throws {
    let url = try await CaddyServer.shared.url()
    let session = try await Self.session { $0.certificateAuthorityFile = nil }
    let outcome = await Self.load(url, assumes: true, in: session)
    #expect(outcome.error?.code == .serverCertificateUntrusted && outcome.response == nil)
    session.invalidateAndCancel()
  }
}
