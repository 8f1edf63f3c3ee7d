import Foundation
import URLLoading
import URLLoadingBase
import URLLoadingTestServers

/// HTTP/3 in a network that changes: what was announced in one is forgotten in the next, and so is what did not work.
enum HTTP3Scenario {
  /// Says by which version each load went, and whether datagrams were sent for it.
  static func changes(_ loopback: Loopback) async throws {
    try loopback.comeUp()
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let caddy = try await CaddyServer.start(
      directives: """
        respond {http.request.proto}
        """)
    let dropped = try await CaddyServer.start(
      directives: """
        header Alt-Svc "h3=\\":\(relay.port)\\"; persist=1"
        respond {http.request.proto}
        """)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configuration.network.maximumHTTPVersion = .http3
    let session = URLSession(configuration: configuration)
    // The second one has learned what the first was told.
    for _ in 0..<2 {
      try await load(from: caddy, in: session, relay)
      try await load(from: caddy, in: session, relay)
      try await change(loopback)
    }
    // After two lost head starts the endpoint is not tried again in this network.
    for _ in 0..<4 { try await load(from: dropped, in: session, relay) }
    try await change(loopback)
    // What persists was not forgotten.
    try await load(from: dropped, in: session, relay)
    session.invalidateAndCancel()
    await caddy.stop()
    await dropped.stop()
  }

  private static func load(from server: CaddyServer, in session: URLSession, _ relay: DatagramRelay) async throws {
    let before = relay.received
    let (body, _) = try await session.data(from: server.url("/"))
    say("\(String(decoding: body, as: UTF8.self))\(relay.received > before ? " after datagrams" : "")")
  }

  /// Takes the network down and up again, and returns when no more is told of that.
  private static func change(_ loopback: Loopback) async throws {
    let changes = NetworkChanges.shared
    let first = changes.count
    try loopback.goDown()
    try loopback.comeUp()
    var last: UInt64?
    while changes.count == first || changes.count != last {
      let known = changes.count
      last = known
      let isOver = AsyncEvent()
      _ = changes.wait(since: known, atMost: .milliseconds(300)) { isOver.signal() }
      guard await isOver.wait(timeout: .seconds(30)) else { throw TestServerError("nobody tells of changes") }
    }
    say("changed")
  }
}
