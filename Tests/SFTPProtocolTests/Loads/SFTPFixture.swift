import Foundation
import SFTPProtocol
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// Files of an sshd of the suite's own. All of a run's sessions log in with the same key; what is protected is on another server, which
/// takes passwords.
struct SFTPFixture: URLProtocolFixture {
  private struct Place: Sendable {
    let server: SSHServer
    let asking: PasswordSSHServer
    let home: SSHHome
  }

  private static let place = LazyServer {
    let server = try await SSHServer.start()
    let asking = try await PasswordSSHServer.start()
    let known = server.knownHosts + "[127.0.0.1]:\(asking.port) \(asking.hostKey.publicLine)\n"
    return Place(server: server, asking: asking, home: try await SSHHome.friendly(to: server, knownHosts: known))
  }

  let protocolClass: URLProtocol.Type = SSHProtocol.self
  static let able: FixtureAbilities = [.replacing, .missing, .directories, .challenges]
  let abilities = Self.able
  private let place: Place

  init() async throws {
    place = try await Self.place.server
  }

  func configuration() -> URLSessionConfiguration { place.home.session.configuration }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    try bytes.write(to: place.server.home.appendingPathComponent(name))
    return place.server.url("/~/\(name)")
  }

  func replace(_ url: URL, with bytes: Data) async throws { try bytes.write(to: file(url)) }

  func missing() async throws -> URL { place.server.url("/~/nothing") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let folder = place.server.home.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
    return place.server.url("/~/\(name)/")
  }

  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    try bytes.write(to: place.asking.home.appendingPathComponent(name))
    return ProtectedResource(
      // SSH logs in as the user of the URL, whom the server needs to know before it asks for anything (RFC 4252, section 5).
      url: try place.asking.url(file: name),
      credential: URLCredential(
        user: PasswordSSHServer.user, password: PasswordSSHServer.password, persistence: .none),
      protectionSpace: URLProtectionSpace(
        host: "127.0.0.1", port: Int(place.asking.port), protocol: "sftp", realm: nil,
        authenticationMethod: NSURLAuthenticationMethodDefault))
  }

  func uploadTarget(named name: String) async throws -> URL { place.server.url("/~/\(name)") }

  func contents(of url: URL) async throws -> Data { try Data(contentsOf: file(url)) }

  private func file(_ url: URL) -> URL { place.server.home.appendingPathComponent(url.lastPathComponent) }
}
