import Foundation
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting
import WebDAVProtocol

/// Files on a real WebDAV server.
struct WebDAVFixture: URLProtocolFixture {
  static let able: FixtureAbilities = [.replacing, .missing, .directories, .challenges]

  let server: WebDAVServer

  init(_ program: WebDAVServer.Program) async throws {
    server = try await .shared(program)
  }

  var protocolClass: URLProtocol.Type { WebDAVProtocol.self }
  var abilities: FixtureAbilities { Self.able }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    try server.write(bytes, to: "public/\(name)", age: 3600)
    return server.url("/public/\(name)")
  }

  func replace(_ url: URL, with bytes: Data) async throws {
    try server.write(bytes, to: "public/\(url.lastPathComponent)", age: 1800)
  }

  func missing() async throws -> URL { server.url("/public/nothing") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    try server.makeFolder("public/\(name)")
    for (file, bytes) in files { try server.write(bytes, to: "public/\(name)/\(file)") }
    return server.url("/public/\(name)/")
  }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    try server.write(bytes, to: "private/\(name)")
    return ProtectedResource(
      url: server.url("/private/\(name)"),
      credential: URLCredential(user: WebDAVServer.user, password: WebDAVServer.password, persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: server.realm,
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
  }

  func uploadTarget(named name: String) async throws -> URL { server.url("/public/\(name)") }

  func contents(of url: URL) async throws -> Data { try server.contents("public/\(url.lastPathComponent)") }
}
