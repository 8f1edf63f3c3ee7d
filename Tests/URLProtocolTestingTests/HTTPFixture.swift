import Foundation
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoading

/// For `http:` URLs, with nginx; uploads by its WebDAV module.
struct HTTPFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { HTTPProtocol.self }
  var abilities: FixtureAbilities { .all }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let server = try await NginxServer.shared
    try bytes.write(to: server.documentRoot.appendingPathComponent(name))
    return server.url("/\(name)")
  }

  func replace(_ url: URL, with bytes: Data) async throws {
    try bytes.write(to: try await NginxServer.shared.documentRoot.appendingPathComponent(url.lastPathComponent))
  }

  func missing() async throws -> URL { try await NginxServer.shared.url("/nothing") }

  func uploadTarget(named name: String) async throws -> URL { try await NginxServer.shared.url("/upload/\(name)") }

  func contents(of url: URL) async throws -> Data {
    try Data(contentsOf: try await NginxServer.shared.uploads.appendingPathComponent(url.lastPathComponent))
  }
}
