import Foundation
import URLLoadingTestServers
import URLProtocolTesting

@testable import URLLoading

/// For `ftp:` URLs.
struct FTPFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { FTPProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing, .directories, .challenges] }

  /// A server that lets nobody in without a login: the usual one takes anonymous users, and asks nobody.
  private static let guarded = LazyServer {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    return try await FTPServer.start(options: options)
  }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let server = try await FTPServer.shared
    try bytes.write(to: server.documentRoot.appendingPathComponent(name))
    return Self.url(server, "/\(name)")
  }

  /// Of a user who may change files.
  private static func url(_ server: FTPServer, _ path: String) -> URL {
    server.url(path, user: FTPServer.user, password: FTPServer.password)
  }

  func replace(_ url: URL, with bytes: Data) async throws { try bytes.write(to: try await file(url)) }

  func missing() async throws -> URL { Self.url(try await FTPServer.shared, "/nothing") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let server = try await FTPServer.shared
    let folder = server.documentRoot.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
    return Self.url(server, "/\(name)/")
  }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    let server = try await Self.guarded.server
    try bytes.write(to: server.documentRoot.appendingPathComponent(name))
    return ProtectedResource(
      url: server.url("/\(name)"),
      credential: URLCredential(user: FTPServer.user, password: FTPServer.password, persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: NSURLProtectionSpaceFTP, realm: nil,
        authenticationMethod: NSURLAuthenticationMethodDefault))
  }

  func uploadTarget(named name: String) async throws -> URL {
    Self.url(try await FTPServer.shared, "/\(name)")
  }

  func contents(of url: URL) async throws -> Data { try Data(contentsOf: try await file(url)) }

  private func file(_ url: URL) async throws -> URL {
    try await FTPServer.shared.documentRoot.appendingPathComponent(url.lastPathComponent)
  }
}
