import Foundation
import SFTPProtocol
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// Files of an sshd of the suite's own. All of a run's sessions log in with the same key.
struct SFTPFixture: URLProtocolFixture {
  private struct Place: Sendable {
    let server: SSHServer
    let home: SSHHome
  }

  private static let place = LazyServer {
    let server = try await SSHServer.start()
    return Place(server: server, home: try await SSHHome.friendly(to: server))
  }

  let protocolClass: URLProtocol.Type = SSHProtocol.self
  static let able: FixtureAbilities = [.replacing, .missing, .directories]
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

  func uploadTarget(named name: String) async throws -> URL { place.server.url("/~/\(name)") }

  func contents(of url: URL) async throws -> Data { try Data(contentsOf: file(url)) }

  private func file(_ url: URL) -> URL { place.server.home.appendingPathComponent(url.lastPathComponent) }
}
