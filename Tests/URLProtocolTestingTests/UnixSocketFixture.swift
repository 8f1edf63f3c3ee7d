import Foundation
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoading

/// For `http+unix:` URLs: the server of `HTTPFixture` behind a Unix socket.
struct UnixSocketFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { UnixSocketProtocol.self }
  var abilities: FixtureAbilities { http.abilities }

  private let http = HTTPFixture()

  /// Passes bytes on to the server's port.
  private struct Relay: Sendable {
    let folder: TemporaryDirectory
    let server: ScriptedServer

    init(to port: UInt16) throws {
      folder = try TemporaryDirectory("socket")
      server = try ScriptedServer(socket: folder.file("s").path) { try $0.relay(to: port) }
    }
  }

  private static let relay = LazyServer { try Relay(to: try await NginxServer.shared.port()) }

  private func behindSocket(_ url: URL) async throws -> URL {
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return try await Self.relay.server.server.url(url.path(percentEncoded: true) + query)
  }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    try await behindSocket(try await http.place(bytes, named: name))
  }

  func replace(_ url: URL, with bytes: Data) async throws { try await http.replace(url, with: bytes) }

  func missing() async throws -> URL { try await behindSocket(try await http.missing()) }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    let resource = try await http.protected(bytes, named: name)
    return ProtectedResource(
      url: try await behindSocket(resource.url), credential: resource.credential,
      protectionSpace: URLProtectionSpace(
        host: try await Self.relay.server.folder.file("s").path, port: 80, protocol: "http+unix", realm: "Test realm",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
  }

  func redirect(to target: URL?, named name: String) async throws -> URL {
    try await behindSocket(try await http.redirect(to: target, named: name))
  }

  func uploadTarget(named name: String) async throws -> URL {
    try await behindSocket(try await http.uploadTarget(named: name))
  }

  func contents(of url: URL) async throws -> Data { try await http.contents(of: url) }
}
