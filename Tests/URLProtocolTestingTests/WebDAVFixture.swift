import Foundation
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoadingWebDAVScheme

/// For the sample, an `AsyncURLProtocol` that stands on `http`, with nginx.
struct WebDAVFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { WebDAVProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing, .directories, .challenges] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    try bytes.write(to: try await file(name))
    return try await WebDAVServer.shared.url("/public/\(name)")
  }

  func replace(_ url: URL, with bytes: Data) async throws { try bytes.write(to: try await file(url.lastPathComponent)) }

  func missing() async throws -> URL { try await WebDAVServer.shared.url("/public/nothing") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let folder = try await file(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
    return try await WebDAVServer.shared.url("/public/\(name)/")
  }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    let server = try await WebDAVServer.shared
    try bytes.write(to: server.documentRoot.appending(path: "private/\(name)"))
    return ProtectedResource(
      url: server.url("/private/\(name)"),
      credential: URLCredential(user: WebDAVServer.user, password: WebDAVServer.password, persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: WebDAVServer.realm,
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
  }

  func uploadTarget(named name: String) async throws -> URL { try await WebDAVServer.shared.url("/public/\(name)") }

  func contents(of url: URL) async throws -> Data { try Data(contentsOf: try await file(url.lastPathComponent)) }

  private func file(_ name: String) async throws -> URL {
    try await WebDAVServer.shared.documentRoot.appending(path: "public").appendingPathComponent(name)
  }
}
