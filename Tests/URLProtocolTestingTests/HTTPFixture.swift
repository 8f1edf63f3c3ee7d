import Foundation
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoading

/// For `http:` URLs, with nginx; uploads by its WebDAV module.
struct HTTPFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { HTTPProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing, .challenges, .redirects] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let server = try await NginxServer.shared
    try bytes.write(to: server.documentRoot.appendingPathComponent(name))
    return server.url("/\(name)")
  }

  func replace(_ url: URL, with bytes: Data) async throws {
    try bytes.write(to: try await NginxServer.shared.documentRoot.appendingPathComponent(url.lastPathComponent))
  }

  func missing() async throws -> URL { try await NginxServer.shared.url("/nothing") }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    let server = try await NginxServer.shared
    _ = try await place(bytes, named: name)
    return ProtectedResource(
      url: server.url("/basic/\(name)"),
      credential: URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port()), protocol: "http", realm: "Test realm",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
  }

  func redirect(to target: URL?, named name: String) async throws -> URL {
    try await NginxServer.shared.url(target.map { "/redirect/302?to=\($0.path())" } ?? "/redirect/loop?\(name)")
  }

  func uploadTarget(named name: String) async throws -> URL { try await NginxServer.shared.url("/upload/\(name)") }

  func contents(of url: URL) async throws -> Data {
    try Data(contentsOf: try await NginxServer.shared.uploads.appendingPathComponent(url.lastPathComponent))
  }
}
